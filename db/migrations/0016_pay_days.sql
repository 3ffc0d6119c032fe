CREATE TABLE "review_pay_days" (
	"tenant_id" text collate "C" NOT NULL,
	"day" date NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"is_second" boolean NOT NULL,
	"source_lang" text NOT NULL,
	"target_lang" text NOT NULL,
	"band" text NOT NULL,
	"segments" integer DEFAULT 0 NOT NULL,
	"words" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "review_pay_days_pk" PRIMARY KEY("tenant_id","day","user_id","is_second","source_lang","target_lang","band")
);
--> statement-breakpoint
ALTER TABLE "review_pay_days" ADD CONSTRAINT "review_pay_days_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "audit_log_review_passed_idx" ON "audit_log" USING btree ("tenant_id","recorded_at") WHERE action = 'review_passed';
--> statement-breakpoint
CREATE INDEX "memory_changed_segments_merged_idx" ON "memory_changed_segments" USING btree ("tenant_id","content_id","merged_into") WHERE merged_into is not null;
--> statement-breakpoint
select protect_tenant_table('review_pay_days');
--> statement-breakpoint
-- The days of deleted changes are counted again. The lock is that of the pay report, which may be counting them.
create function forget_pay_days() returns trigger language plpgsql as $$
declare
  tenant text;
begin
  for tenant in select distinct tenant_id from deleted order by 1 loop
    perform pg_advisory_xact_lock_shared(hashtextextended(tenant, 8203));
    delete from review_pay_days p where p.tenant_id = tenant
      and p.day in (select (d.created_at at time zone 'UTC')::date from deleted d where d.tenant_id = tenant);
  end loop;
  return null;
end $$;
create trigger forget_pay_days after delete on segment_events
  referencing old table as deleted for each statement execute function forget_pay_days();
