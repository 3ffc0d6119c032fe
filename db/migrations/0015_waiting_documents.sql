ALTER TABLE "document_jobs" ADD COLUMN "waiting_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "waiting_reason" text;--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "waiting_attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "next_attempt_at" timestamp (3) with time zone;