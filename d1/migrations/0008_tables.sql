ALTER TABLE `ingestion_budgets` DROP COLUMN `bytes`;
ALTER TABLE `ingestion_budgets` ADD `steps` integer DEFAULT 0 NOT NULL;
