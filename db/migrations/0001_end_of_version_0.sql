-- Removes what only version 0 used. Its processes cannot work with the result: stop them first (docs/upgrading.md).
do $$
begin
  if exists (select from translation_jobs where packed_run is not null) then
    raise exception 'this database has texts from an early version 0, whose runs version 1.0.0 cannot read'
      using hint = 'Delete these texts with version 0 first (docs/upgrading.md).';
  end if;
end
$$;
--> statement-breakpoint
drop view work_in_flight;
--> statement-breakpoint
alter table translation_jobs drop column packed_run, drop column reserved_rest_chars, drop column reserved_rest_jobs;
--> statement-breakpoint
-- The reservations of the work in progress. A queued job is never stale, so that its key does not run again. A document reserves its
-- characters from the stage `admit` on; its idempotency key is not one of text jobs.
create view work_in_flight with (security_invoker = true) as
  select tenant_id, idempotency_key, case when queued then now()::timestamp (3) with time zone else updated_at end as updated_at,
    reserved_chars as chars
  from translation_jobs where status = 'pending'
  union all
  select tenant_id, null, updated_at, reserved_chars from document_jobs where status in ('queued', 'extracted');
