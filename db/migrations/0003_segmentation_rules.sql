CREATE TABLE "segmentation_rules" (
	"tenant_id" text collate "C" NOT NULL,
	"name" text NOT NULL,
	"srx" text NOT NULL,
	"hash" text collate "C" NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_by" text collate "C",
	CONSTRAINT "segmentation_rules_tenant_id_pk" PRIMARY KEY("tenant_id")
);
--> statement-breakpoint
ALTER TABLE "segmentation_rules" ADD CONSTRAINT "segmentation_rules_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
select protect_tenant_table('segmentation_rules');
