-- The terms of each passage as `7_refund 7_day`: stems and pairs of letters as the gate reads them, so that a search stays
-- within its namespace and no tokenizer of SQLite decides what a word is. `ascii` cuts at spaces here, and leaves every
-- other letter alone. Texts stand in `passages` only.
CREATE VIRTUAL TABLE IF NOT EXISTS passage_words USING fts5(
  terms,
  content = '',
  contentless_delete = 1,
  tokenize = "ascii tokenchars '_'"
);

-- In how many passages each term stands.
CREATE VIRTUAL TABLE IF NOT EXISTS passage_terms USING fts5vocab(passage_words, row);
