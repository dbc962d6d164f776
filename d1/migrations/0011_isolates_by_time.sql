-- What isolates recorded in a period is read by their last decision: their number grows with the days that are kept.
CREATE INDEX isolates_by_time ON isolates (last_ms);
