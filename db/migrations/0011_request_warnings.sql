ALTER TABLE "document_jobs" ADD COLUMN "request_fingerprint" "bytea";--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "warnings" jsonb;--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "request_fingerprint" "bytea";--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "warnings" jsonb;