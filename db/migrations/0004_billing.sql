-- A whole number, 0 or more, out of a tenant's metadata; 0 where there is none: an operator may have written anything.
create function metadata_count(metadata jsonb, key text) returns bigint language sql immutable parallel safe
return case jsonb_typeof(metadata -> key)
  when 'number' then least(greatest(trunc((metadata -> key)::numeric), 0), 9007199254740991)::bigint else 0 end;
--> statement-breakpoint
CREATE TABLE "payment_events" (
	"tenant_id" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"type" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"applied_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_events_tenant_id_event_id_pk" PRIMARY KEY("tenant_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "usage_totals" (
	"tenant_id" text collate "C" NOT NULL,
	"day" date NOT NULL,
	"allowance_window" text collate "C" NOT NULL,
	"slot" smallint NOT NULL,
	"jobs" bigint DEFAULT 0 NOT NULL,
	"source_chars" bigint DEFAULT 0 NOT NULL,
	"billable_chars" bigint DEFAULT 0 NOT NULL,
	"trial_chars" bigint DEFAULT 0 NOT NULL,
	"topup_chars" bigint DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"total_tokens" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_totals_tenant_id_day_allowance_window_slot_pk" PRIMARY KEY("tenant_id","day","allowance_window","slot")
);
--> statement-breakpoint
ALTER TABLE "translation_jobs" DROP CONSTRAINT "translation_jobs_tenant_id_idempotency_key_key";--> statement-breakpoint
DROP INDEX "usage_records_tenant_id_recorded_at_idx";--> statement-breakpoint
DROP INDEX "translation_jobs_pending_idx";--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "allowance_window" text collate "C" GENERATED ALWAYS AS (left(coalesce(metadata ->> 'pay_allowance_from', ''), 64)) STORED;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "topup_balance" bigint GENERATED ALWAYS AS (metadata_count(metadata, 'topup_chars_purchased') - metadata_count(metadata, 'topup_chars_used')) STORED;--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "reserved_chars" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "reserved_rest_chars" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "payment_events" ADD CONSTRAINT "payment_events_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD CONSTRAINT "usage_totals_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payment_events_applied_at_idx" ON "payment_events" USING btree ("applied_at");--> statement-breakpoint
CREATE INDEX "usage_totals_day_idx" ON "usage_totals" USING btree ((day + 0));--> statement-breakpoint
CREATE UNIQUE INDEX "translation_jobs_tenant_id_idempotency_key_key" ON "translation_jobs" USING btree ("tenant_id","idempotency_key") WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX "usage_records_tenant_id_recorded_at_idx" ON "usage_records" USING btree ("tenant_id","recorded_at","job_id");--> statement-breakpoint
CREATE INDEX "translation_jobs_pending_idx" ON "translation_jobs" USING btree ("tenant_id","updated_at") WHERE status = 'pending';
--> statement-breakpoint
-- Made anew, to be the youngest: of indexes that seem to cost the same, as all do while a table is small or new, PostgreSQL takes
-- that one. By another, one job would be looked for among all of its tenant's.
alter table translation_jobs drop constraint translation_jobs_tenant_id_job_id_pk,
  add constraint translation_jobs_tenant_id_job_id_pk primary key (tenant_id, job_id);
--> statement-breakpoint
-- Totals are updated in place all day: room on their pages keeps that within the page.
alter table usage_totals set (fillfactor = 50);
--> statement-breakpoint
create view work_in_flight with (security_invoker = true) as
  select tenant_id, idempotency_key, updated_at, reserved_chars as chars, reserved_rest_chars as rest_chars
  from translation_jobs where status = 'pending';
--> statement-breakpoint
insert into usage_totals (tenant_id, day, allowance_window, slot, jobs, source_chars, billable_chars,
  input_tokens, output_tokens, total_tokens)
select tenant_id, (recorded_at at time zone 'UTC')::date, '', 0, count(*), sum(source_chars), sum(billable_chars),
  sum(input_tokens), sum(output_tokens), sum(total_tokens)
from usage_records group by 1, 2;
--> statement-breakpoint
select protect_tenant_table('usage_totals');
--> statement-breakpoint
select protect_tenant_table('payment_events');
