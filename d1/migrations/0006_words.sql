-- Passages that are found by their words. `words` is how many terms a passage has, repeats counted.
CREATE TABLE passages (
  number INTEGER NOT NULL PRIMARY KEY,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  words INTEGER NOT NULL,
  passage TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX passages_by_id ON passages (namespace, id);

-- Namespaces, with what BM25 needs to know of all their passages. `number` begins each of their terms in the index.
CREATE TABLE passage_namespaces (
  number INTEGER NOT NULL PRIMARY KEY,
  namespace TEXT NOT NULL UNIQUE,
  passages INTEGER NOT NULL,
  words INTEGER NOT NULL
) STRICT;

-- The terms of each passage as `7_refund 7_day`: stems and pairs of letters as the gate reads them, so that a search stays
-- within its namespace and no tokenizer of SQLite decides what a word is. `ascii` cuts at spaces here, and leaves every
-- other letter alone. Texts stand in `passages` only.
CREATE VIRTUAL TABLE passage_words USING fts5(
  terms,
  content = '',
  contentless_delete = 1,
  tokenize = "ascii tokenchars '_'"
);

-- In how many passages each term stands.
CREATE VIRTUAL TABLE passage_terms USING fts5vocab(passage_words, row);
