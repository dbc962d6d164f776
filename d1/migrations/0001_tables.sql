CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant` text NOT NULL,
	`kind` text NOT NULL,
	`opened_ms` integer NOT NULL,
	`closed_ms` integer,
	`value` real NOT NULL,
	`bound` real NOT NULL,
	`decisions` integer NOT NULL,
	`message` text NOT NULL,
	`untold` integer NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX `alerts_open` ON `alerts` (`tenant`,`kind`) WHERE closed_ms IS NULL;

CREATE INDEX `alerts_by_time` ON `alerts` (`tenant`,`opened_ms`);

CREATE INDEX `alerts_untold` ON `alerts` (`untold`) WHERE untold = 1;

CREATE TABLE `answer_purges` (
	`tenant` text NOT NULL,
	`scope` text NOT NULL,
	`epoch` integer NOT NULL,
	PRIMARY KEY(`tenant`, `scope`)
) STRICT, WITHOUT ROWID;

CREATE INDEX `answer_purges_by_epoch` ON `answer_purges` (`tenant`,`epoch`);

CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`secret_hash` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer,
	`revoked_at_ms` integer
) STRICT, WITHOUT ROWID;

CREATE INDEX `api_keys_by_tenant` ON `api_keys` (`tenant`,`created_at_ms`,`id`);

CREATE TABLE `audit_events` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant` text NOT NULL,
	`at_ms` integer NOT NULL,
	`type` text NOT NULL,
	`decision_id` text,
	`by` text,
	`payload` text NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX `audit_events_by_time` ON `audit_events` (`tenant`,`at_ms`,`id`);

CREATE INDEX `policy_choices` ON `audit_events` (`tenant`,`at_ms`,`id`) WHERE type = 'POLICY_CHOSEN';

CREATE TABLE `chunk_texts` (
	`namespace` text NOT NULL,
	`id` text NOT NULL,
	`passage` text NOT NULL,
	PRIMARY KEY(`namespace`, `id`)
) STRICT;

CREATE TABLE `collections` (
	`tenant` text NOT NULL,
	`id` text NOT NULL,
	`corpus_version` integer NOT NULL,
	`lexicon_id` text,
	`embedding_model` text NOT NULL,
	`dimension` integer NOT NULL,
	`policy_id` text,
	`scale` text,
	`updated_at_ms` integer NOT NULL,
	`writer` text,
	`writer_until_ms` integer,
	PRIMARY KEY(`tenant`, `id`)
) STRICT;

CREATE TABLE `counted_decisions` (
	`counts` text PRIMARY KEY NOT NULL,
	`place` integer NOT NULL,
	`decisions` integer NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE `decision_rollups` (
	`tenant` text NOT NULL,
	`span_ms` integer NOT NULL,
	`start_ms` integer NOT NULL,
	`part` integer NOT NULL,
	`counts` text NOT NULL,
	PRIMARY KEY(`tenant`, `span_ms`, `start_ms`, `part`)
) STRICT, WITHOUT ROWID;

CREATE TABLE `decisions` (
	`place` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`decision_id` text NOT NULL,
	`at_ms` integer NOT NULL,
	`tenant` text NOT NULL,
	`collection` text NOT NULL,
	`corpus_version` integer NOT NULL,
	`policy_id` text NOT NULL,
	`mode` text NOT NULL,
	`route` text NOT NULL,
	`verdict` text NOT NULL,
	`band` text NOT NULL,
	`confidence` real,
	`reason` text NOT NULL,
	`cache` text NOT NULL,
	`status` integer NOT NULL,
	`ranked_by` text NOT NULL,
	`signals` text NOT NULL,
	`findings` text NOT NULL,
	`evidence_ids` text NOT NULL,
	`document_ids` text NOT NULL,
	`retrieval_ms` real,
	`generation_ms` real,
	`total_ms` real,
	`principal_id` text NOT NULL,
	`question_hmac` text,
	`hmac_key_id` text,
	`model` text,
	`input_tokens` integer,
	`output_tokens` integer,
	`isolate` text NOT NULL,
	`sequence` integer NOT NULL,
	`answer_signals` text,
	`reranker` text,
	`rerank_ms` real,
	`escalate` integer,
	`audit` text,
	`saved` text,
	`cut` text,
	`signal_shape` integer,
	CONSTRAINT "decisions_place" CHECK(place - at_ms * 2048 BETWEEN 0 AND 2047)
) STRICT;

CREATE INDEX `decisions_by_tenant` ON `decisions` (`tenant`) WHERE tenant <> 'default';

CREATE TABLE `document_weeks` (
	`tenant` text NOT NULL,
	`week_ms` integer NOT NULL,
	`collection` text NOT NULL,
	`document_id` text NOT NULL,
	`decisions` integer NOT NULL,
	`advised` integer NOT NULL,
	`refused` integer NOT NULL,
	`confidence_sum` real NOT NULL,
	PRIMARY KEY(`tenant`, `week_ms`, `collection`, `document_id`)
) STRICT, WITHOUT ROWID;

CREATE TABLE `documents` (
	`tenant` text NOT NULL,
	`collection` text NOT NULL,
	`id` text NOT NULL,
	`content_hash` text NOT NULL,
	`chunk_ids` text NOT NULL,
	`embedding_model` text NOT NULL,
	`dimension` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`tenant`, `collection`, `id`)
) STRICT;

CREATE TABLE `erasures` (
	`tenant` text NOT NULL,
	`principal_id` text NOT NULL,
	`requested_ms` integer NOT NULL,
	`decided_until_place` integer NOT NULL,
	`erased` integer NOT NULL,
	`finished_ms` integer,
	PRIMARY KEY(`tenant`, `principal_id`)
) STRICT, WITHOUT ROWID;

CREATE TABLE `feedback` (
	`event_id` text NOT NULL,
	`source` text NOT NULL,
	`tenant` text NOT NULL,
	`at_ms` integer NOT NULL,
	`rating` text NOT NULL,
	`comment` text,
	`principal_id` text NOT NULL,
	`verdict` text,
	`mode` text,
	`policy_id` text,
	`collection` text,
	`decided_ms` integer,
	PRIMARY KEY(`event_id`, `source`)
) STRICT, WITHOUT ROWID;

CREATE INDEX `feedback_by_time` ON `feedback` (`tenant`,`at_ms`,`event_id`);

CREATE TABLE `idempotency_keys` (
	`tenant` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`claim` text NOT NULL,
	`at_ms` integer NOT NULL,
	`status` integer,
	`body` text,
	PRIMARY KEY(`tenant`, `key`)
) STRICT, WITHOUT ROWID;

CREATE INDEX `idempotency_keys_by_time` ON `idempotency_keys` (`at_ms`);

CREATE TABLE `ingestion_budgets` (
	`tenant` text NOT NULL,
	`principal` text NOT NULL,
	`day_ms` integer NOT NULL,
	`documents` integer NOT NULL,
	`steps` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`tenant`, `principal`)
) STRICT, WITHOUT ROWID;

CREATE TABLE `isolates` (
	`id` text PRIMARY KEY NOT NULL,
	`first_ms` integer NOT NULL,
	`last_ms` integer NOT NULL,
	`highest_sequence` integer NOT NULL,
	`recorded` integer NOT NULL,
	`dropped` integer NOT NULL,
	`rejected` integer NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX `isolates_by_time` ON `isolates` (`last_ms`);

CREATE TABLE `jobs` (
	`name` text PRIMARY KEY NOT NULL,
	`ran_ms` integer,
	`behind_since_ms` integer,
	`failed` integer NOT NULL,
	`cursor` text
) STRICT, WITHOUT ROWID;

CREATE TABLE `late_decisions` (
	`counts` text NOT NULL,
	`place` integer NOT NULL,
	PRIMARY KEY(`counts`, `place`)
) STRICT, WITHOUT ROWID;

CREATE TABLE `lexicons` (
	`id` text NOT NULL,
	`part` integer NOT NULL,
	`body` text NOT NULL,
	`superseded_at_ms` integer,
	PRIMARY KEY(`id`, `part`)
) STRICT;

CREATE TABLE `passage_namespaces` (
	`number` integer PRIMARY KEY NOT NULL,
	`namespace` text NOT NULL,
	`passages` integer NOT NULL,
	`words` integer NOT NULL
) STRICT;

CREATE UNIQUE INDEX `passage_namespaces_by_name` ON `passage_namespaces` (`namespace`);

CREATE TABLE `passages` (
	`number` integer PRIMARY KEY NOT NULL,
	`namespace` text NOT NULL,
	`id` text NOT NULL,
	`words` integer NOT NULL,
	`passage` text NOT NULL
) STRICT;

CREATE UNIQUE INDEX `passages_by_id` ON `passages` (`namespace`,`id`);

CREATE TABLE `policies` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`body` text NOT NULL,
	`first_ms` integer NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE `pushed_policies` (
	`tenant` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`settings` text NOT NULL,
	`pin` text,
	`evidence` text,
	`created_at_ms` integer NOT NULL,
	`created_by` text NOT NULL,
	`why` text NOT NULL,
	PRIMARY KEY(`tenant`, `id`)
) STRICT;

CREATE UNIQUE INDEX `pushed_policies_by_version` ON `pushed_policies` (`tenant`,`name`,`version`);

CREATE TABLE `question_days` (
	`tenant` text NOT NULL,
	`day_ms` integer NOT NULL,
	`collection` text NOT NULL,
	`question_hmac` text NOT NULL,
	`hmac_key_id` text NOT NULL,
	`refused` integer NOT NULL,
	`advised` integer NOT NULL,
	`last_ms` integer NOT NULL,
	`last_reason` text NOT NULL,
	PRIMARY KEY(`tenant`, `day_ms`, `collection`, `question_hmac`)
) STRICT, WITHOUT ROWID;

CREATE INDEX `question_days_by_refusals` ON `question_days` (`tenant`,`day_ms`,`refused`) WHERE refused > 1;

CREATE TABLE `question_texts` (
	`tenant` text NOT NULL,
	`question_hmac` text NOT NULL,
	`text` text NOT NULL,
	`expires_ms` integer NOT NULL,
	PRIMARY KEY(`tenant`, `question_hmac`)
) STRICT, WITHOUT ROWID;

CREATE INDEX `question_texts_by_expiry` ON `question_texts` (`expires_ms`);

CREATE TABLE `rejected_events` (
	`isolate` text NOT NULL,
	`sequence` integer NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`isolate`, `sequence`)
) STRICT, WITHOUT ROWID;

CREATE INDEX `rejected_events_by_time` ON `rejected_events` (`at_ms`);

CREATE TABLE `removed_decisions` (
	`only_row` integer PRIMARY KEY NOT NULL,
	`before_ms` integer NOT NULL,
	`decisions` integer NOT NULL
) STRICT;

CREATE TABLE `request_faults` (
	`hour_ms` integer NOT NULL,
	`route` text NOT NULL,
	`status` integer NOT NULL,
	`code` text NOT NULL,
	`isolate` text NOT NULL,
	`requests` integer NOT NULL,
	PRIMARY KEY(`hour_ms`, `route`, `status`, `code`, `isolate`)
) STRICT, WITHOUT ROWID;

CREATE TABLE `signal_shapes` (
	`id` integer PRIMARY KEY NOT NULL,
	`shape` text NOT NULL
) STRICT;

CREATE UNIQUE INDEX `signal_shapes_by_shape` ON `signal_shapes` (`shape`);

CREATE TABLE `tenants` (
	`id` text PRIMARY KEY NOT NULL,
	`policy_id` text
) STRICT, WITHOUT ROWID;

CREATE TABLE `unpublished_chunks` (
	`tenant` text NOT NULL,
	`collection` text NOT NULL,
	`chunk_id` text NOT NULL,
	`since_ms` integer NOT NULL,
	PRIMARY KEY(`tenant`, `collection`, `chunk_id`)
) STRICT, WITHOUT ROWID;
