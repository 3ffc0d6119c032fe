ALTER TABLE "review_comments" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "document_jobs_waiting_idx" ON "document_jobs" USING btree ("tenant_id","updated_at","document_id") WHERE status = 'translated' and approved_at is null;--> statement-breakpoint
CREATE INDEX "document_segments_source_key_idx" ON "document_segments" USING btree ("source_key","tenant_id","document_id");--> statement-breakpoint
CREATE INDEX "document_segments_feed_pending_idx" ON "document_segments" USING btree ("tenant_id","document_id","position") WHERE feed_pending;--> statement-breakpoint
CREATE INDEX "segment_events_latest_idx" ON "segment_events" USING btree ("tenant_id","document_id","created_at");--> statement-breakpoint
CREATE INDEX "review_comments_latest_idx" ON "review_comments" USING btree ("tenant_id","created_at","comment_id");--> statement-breakpoint
CREATE INDEX "review_comments_deleted_idx" ON "review_comments" USING btree ("deleted_at") WHERE deleted_at is not null;