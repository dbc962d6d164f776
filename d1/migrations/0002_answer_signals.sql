-- What was measured of an answer, for policies that judge answers: no text, so that a decision can be judged again.
ALTER TABLE decisions ADD COLUMN answer_signals TEXT;
