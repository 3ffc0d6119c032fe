ALTER TABLE "document_segments" ADD COLUMN "source_rectangles" jsonb;--> statement-breakpoint
ALTER TABLE "document_segments" ADD COLUMN "target_rectangles" jsonb;