CREATE TABLE "token_spending" (
	"tenant_id" text collate "C" NOT NULL,
	"day" date NOT NULL,
	"tokens" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "token_spending_tenant_id_pk" PRIMARY KEY("tenant_id")
);
--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "reserved_rest_jobs" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "token_spending" ADD CONSTRAINT "token_spending_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
select protect_tenant_table('token_spending');
--> statement-breakpoint
create or replace view work_in_flight with (security_invoker = true) as
  select tenant_id, idempotency_key, updated_at, reserved_chars as chars, reserved_rest_chars as rest_chars,
    reserved_rest_jobs as rest_jobs
  from translation_jobs where status = 'pending'
  union all
  select tenant_id, null, updated_at, reserved_chars, 0::bigint, 0
  from document_jobs where status in ('queued', 'extracted');
