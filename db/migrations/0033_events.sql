CREATE SEQUENCE "public"."event_sequence" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "event_feeds" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"feed_id" text collate "C" NOT NULL,
	"complete" boolean DEFAULT false NOT NULL,
	"last_position" bigint DEFAULT 0 NOT NULL,
	"pruned_position" bigint DEFAULT 0 NOT NULL,
	"read_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"tenant_id" text collate "C" NOT NULL,
	"sequence" bigint DEFAULT nextval('event_sequence') NOT NULL,
	"position" bigint,
	"event_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"type" text NOT NULL,
	"resource" text NOT NULL,
	"resource_id" text collate "C" NOT NULL,
	"status" text NOT NULL,
	"occurred_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "events_tenant_id_sequence_pk" PRIMARY KEY("tenant_id","sequence")
);
--> statement-breakpoint
ALTER TABLE "event_feeds" ADD CONSTRAINT "event_feeds_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "events_tenant_id_position_key" ON "events" USING btree ("tenant_id","position");--> statement-breakpoint
select protect_tenant_table('event_feeds');
--> statement-breakpoint
select protect_tenant_table('events');
--> statement-breakpoint
-- The triggers below record every change of state, whoever writes it (docs/decisions/0111-events.md). They insert nothing for tenants
-- whose feed is off. A decision of a review comes before the status that it leads to.
create function record_translation_events() returns trigger language plpgsql as $$
declare
  tenant text := coalesce(new.tenant_id, old.tenant_id);
  job text := coalesce(new.job_id, old.job_id);
begin
  if not exists (select from event_feeds where event_feeds.tenant_id = tenant) then
    return null;
  end if;
  if tg_op = 'DELETE' then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, 'translation.deleted', 'translation', job, 'deleted');
    return null;
  end if;
  if tg_op = 'UPDATE' and (old.decided_at is null) <> (new.decided_at is null) then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, case when new.decided_at is null then 'review.reopened' when new.status = 'rejected' then 'review.rejected'
        else 'review.approved' end, 'translation', job, new.status);
  end if;
  if new.status not in ('pending', 'approved') and (tg_op = 'INSERT' or old.status <> new.status) then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, 'translation.' || new.status, 'translation', job, new.status);
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger record_inserted after insert on translation_jobs
  for each row when (new.status <> 'pending') execute function record_translation_events();
--> statement-breakpoint
create trigger record_updated after update on translation_jobs
  for each row when (old.status <> new.status or (old.decided_at is null) <> (new.decided_at is null))
  execute function record_translation_events();
--> statement-breakpoint
create trigger record_deleted after delete on translation_jobs for each row execute function record_translation_events();
--> statement-breakpoint
create function record_document_events() returns trigger language plpgsql as $$
declare
  tenant text := coalesce(new.tenant_id, old.tenant_id);
  document text := coalesce(new.document_id, old.document_id);
begin
  if not exists (select from event_feeds where event_feeds.tenant_id = tenant) then
    return null;
  end if;
  if tg_op = 'DELETE' then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, 'document.deleted', 'document', document, 'deleted');
    return null;
  end if;
  if tg_op = 'INSERT' or old.status <> new.status then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, 'document.' || new.status, 'document', document, new.status);
  end if;
  if tg_op = 'UPDATE' and (old.approved_at is null) <> (new.approved_at is null) then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, case when new.approved_at is null then 'review.reopened' else 'review.approved' end, 'document', document,
        new.status);
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger record_inserted after insert on document_jobs for each row execute function record_document_events();
--> statement-breakpoint
create trigger record_updated after update on document_jobs
  for each row when (old.status <> new.status or (old.approved_at is null) <> (new.approved_at is null))
  execute function record_document_events();
--> statement-breakpoint
create trigger record_deleted after delete on document_jobs for each row execute function record_document_events();
--> statement-breakpoint
create function record_import_events() returns trigger language plpgsql as $$
begin
  insert into events (tenant_id, type, resource, resource_id, status)
    select new.tenant_id, 'memory_import.' || new.status, 'memory_import', new.import_id, new.status
    where exists (select from event_feeds where event_feeds.tenant_id = new.tenant_id);
  return null;
end
$$;
--> statement-breakpoint
create trigger record_inserted after insert on memory_imports for each row execute function record_import_events();
--> statement-breakpoint
create trigger record_updated after update on memory_imports
  for each row when (old.status <> new.status) execute function record_import_events();
