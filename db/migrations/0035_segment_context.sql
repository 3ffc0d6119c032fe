ALTER TABLE "document_segments" ADD COLUMN "context" text;--> statement-breakpoint
ALTER TABLE "document_segments" ADD COLUMN "variant" text;