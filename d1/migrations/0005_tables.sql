CREATE TABLE `signal_shapes` (
	`id` integer PRIMARY KEY NOT NULL,
	`shape` text NOT NULL
) STRICT;

CREATE UNIQUE INDEX `signal_shapes_by_shape` ON `signal_shapes` (`shape`);

ALTER TABLE `decisions` ADD `signal_shape` integer;
