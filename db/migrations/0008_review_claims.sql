CREATE TABLE "review_claims" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"item_kind" text NOT NULL,
	"item_id" text collate "C" NOT NULL,
	"holder" text NOT NULL,
	"claimed_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "review_claims_tenant_id_user_id_item_kind_item_id_pk" PRIMARY KEY("tenant_id","user_id","item_kind","item_id")
);
--> statement-breakpoint
ALTER TABLE "review_claims" ADD CONSTRAINT "review_claims_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "review_claims_item_idx" ON "review_claims" USING btree ("tenant_id","item_kind","item_id");--> statement-breakpoint
CREATE INDEX "review_claims_expires_at_idx" ON "review_claims" USING btree ("expires_at");
--> statement-breakpoint
select protect_tenant_table('review_claims');
