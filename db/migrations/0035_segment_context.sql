ALTER TABLE "document_jobs" ADD COLUMN "decisions" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "rendered_decisions" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "document_segments" ADD COLUMN "context" text;--> statement-breakpoint
ALTER TABLE "document_segments" ADD COLUMN "variant" text;