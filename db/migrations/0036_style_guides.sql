CREATE TABLE "style_guides" (
	"tenant_id" text collate "C" NOT NULL,
	"target_lang" text collate "C" NOT NULL,
	"rules" text NOT NULL,
	"quotation_marks" text,
	"spacing" text,
	"formality" text,
	"forbidden_words" jsonb NOT NULL,
	"version" text collate "C" NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_by" text collate "C",
	CONSTRAINT "style_guides_tenant_id_target_lang_pk" PRIMARY KEY("tenant_id","target_lang")
);
--> statement-breakpoint
ALTER TABLE "style_guides" ADD CONSTRAINT "style_guides_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
select protect_tenant_table('style_guides');
