ALTER TABLE "document_jobs" ADD COLUMN "submitted_by" text collate "C";--> statement-breakpoint
ALTER TABLE "usage_records" ADD COLUMN "submitted_by" text collate "C";