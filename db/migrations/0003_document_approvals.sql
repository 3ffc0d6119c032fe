ALTER TABLE "document_jobs" ADD COLUMN "golden_record" jsonb;--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "golden_uri" text;--> statement-breakpoint
ALTER TABLE "document_segments" ADD COLUMN "feed_pending" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "document_jobs_unrecorded_idx" ON "document_jobs" USING btree ("tenant_id","approved_at") WHERE approved_at is not null and golden_uri is null;