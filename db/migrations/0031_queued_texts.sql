ALTER TABLE "translation_jobs" ADD COLUMN "queued" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- A queued job is never stale, so that its key does not run again.
create or replace view work_in_flight with (security_invoker = true) as
  select tenant_id, idempotency_key, case when queued then now()::timestamp (3) with time zone else updated_at end as updated_at,
    reserved_chars as chars, reserved_rest_chars as rest_chars, reserved_rest_jobs as rest_jobs
  from translation_jobs where status = 'pending'
  union all
  select tenant_id, null, updated_at, reserved_chars, 0::bigint, 0
  from document_jobs where status in ('queued', 'extracted');
