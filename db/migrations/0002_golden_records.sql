ALTER TABLE "translation_jobs" ADD COLUMN "pipeline_candidate" text;--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "publish_as" text;--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "golden_uri" text;--> statement-breakpoint
CREATE INDEX "translation_jobs_unpersisted_idx" ON "translation_jobs" USING btree ("updated_at") WHERE status in ('approved', 'persistence_failed');