ALTER TABLE `feedback` ADD `mode` text;
