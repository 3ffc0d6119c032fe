CREATE TABLE "tenant_retention" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"jobs_days" integer,
	"documents_days" integer,
	"audit_days" integer,
	"hold" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenant_retention" ADD CONSTRAINT "tenant_retention_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
select protect_tenant_table('tenant_retention');
