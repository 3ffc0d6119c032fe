ALTER TABLE "document_jobs" ADD COLUMN "approved_via" jsonb;
