CREATE TABLE "tenant_exports" (
	"tenant_id" text collate "C" NOT NULL,
	"export_id" text collate "C" NOT NULL,
	"requested_by" text collate "C",
	"requested_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"position" jsonb,
	"parts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"files" integer DEFAULT 0 NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	CONSTRAINT "tenant_exports_tenant_id_export_id_pk" PRIMARY KEY("tenant_id","export_id")
);
--> statement-breakpoint
ALTER TABLE "tenant_exports" ADD CONSTRAINT "tenant_exports_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "tenant_exports_running_key" ON "tenant_exports" USING btree ("tenant_id") WHERE finished_at is null;--> statement-breakpoint
select protect_tenant_table('tenant_exports');
