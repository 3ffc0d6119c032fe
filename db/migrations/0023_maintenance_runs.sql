CREATE TABLE "maintenance_runs" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"finished_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"every_seconds" integer
);
