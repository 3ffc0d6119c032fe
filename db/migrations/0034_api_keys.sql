CREATE TABLE "api_keys" (
	"tenant_id" text collate "C" NOT NULL,
	"key_id" text collate "C" NOT NULL,
	"name" text NOT NULL,
	"scope" text NOT NULL,
	"prefix" text NOT NULL,
	"workspace" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_by" text,
	"expires_at" timestamp (3) with time zone,
	"overlap_ends_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_tenant_id_key_id_pk" PRIMARY KEY("tenant_id","key_id")
);
--> statement-breakpoint
ALTER TABLE "credential_directory" ADD COLUMN "key_id" text collate "C";--> statement-breakpoint
ALTER TABLE "credential_directory" ADD COLUMN "scope" text;--> statement-breakpoint
ALTER TABLE "credential_directory" ADD COLUMN "replaced" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_workspace_key" ON "api_keys" USING btree ("tenant_id") WHERE workspace and revoked_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_name_key" ON "api_keys" USING btree ("tenant_id","name") WHERE not workspace and revoked_at is null;
--> statement-breakpoint
-- The key of each workspace becomes its workspace key. Its secret stays as it is, for processes of former versions.
insert into api_keys (tenant_id, key_id, name, scope, prefix, workspace, created_at)
  select tenant_id, replace(gen_random_uuid()::text, '-', ''), 'Workspace key', 'translate read review admin', api_key_prefix, true,
    created_at
  from tenants where exists (
    select from credential_directory d where d.tenant_id = tenants.tenant_id and d.kind = 'api_key');
--> statement-breakpoint
select protect_tenant_table('api_keys');
