ALTER TABLE "translation_jobs" ADD COLUMN "findings" jsonb;
