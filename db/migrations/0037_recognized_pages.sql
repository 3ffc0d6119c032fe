CREATE TABLE "recognized_pages" (
	"tenant_id" text collate "C" NOT NULL,
	"document_id" text collate "C" NOT NULL,
	"page" integer NOT NULL,
	"content" jsonb,
	"failure" text,
	CONSTRAINT "recognized_pages_tenant_id_document_id_page_pk" PRIMARY KEY("tenant_id","document_id","page")
);
--> statement-breakpoint
ALTER TABLE "document_segments" ADD COLUMN "words" jsonb;--> statement-breakpoint
ALTER TABLE "recognized_pages" ADD CONSTRAINT "recognized_pages_tenant_id_document_id_document_jobs_tenant_id_document_id_fk" FOREIGN KEY ("tenant_id","document_id") REFERENCES "public"."document_jobs"("tenant_id","document_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
select protect_tenant_table('recognized_pages');
