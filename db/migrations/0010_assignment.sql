create table assignment_rules (
  tenant_id text collate "C" not null,
  rules jsonb not null,
  constraint assignment_rules_pkey primary key (tenant_id)
);
--> statement-breakpoint
create table review_assignments (
  tenant_id text collate "C" not null,
  item_kind text not null,
  item_id text collate "C" not null,
  source_lang text default '' not null,
  target_lang text default '' not null,
  words integer,
  assignee text collate "C",
  four_eyes boolean default false not null,
  second text collate "C",
  passed_at timestamp (3) with time zone,
  passed_by text collate "C",
  holder text collate "C" generated always as (case when passed_at is null then assignee else second end) stored,
  due_at timestamp (3) with time zone,
  comment text,
  assigned_by text collate "C",
  assigned_at timestamp (3) with time zone default now() not null,
  version integer default 1 not null,
  held_at timestamp (3) with time zone default now() not null,
  rules_from timestamp (3) with time zone,
  closed_at timestamp (3) with time zone,
  constraint review_assignments_tenant_id_item_kind_item_id_pk primary key (tenant_id, item_kind, item_id)
);
--> statement-breakpoint
create table reviewer_profiles (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  display_name text default '' not null,
  time_zone text default 'UTC' not null,
  away_from date,
  away_to date,
  languages jsonb default '[]'::jsonb not null,
  constraint reviewer_profiles_tenant_id_user_id_pk primary key (tenant_id, user_id)
);
--> statement-breakpoint
alter table mails add column assigned integer default 0 not null;
alter table mails add column due_soon integer default 0 not null;
alter table mails add column overdue integer default 0 not null;
--> statement-breakpoint
alter table assignment_rules add constraint assignment_rules_tenant_id_tenants_tenant_id_fk foreign key (tenant_id) references tenants(tenant_id) on delete cascade;
alter table review_assignments add constraint review_assignments_tenant_id_tenants_tenant_id_fk foreign key (tenant_id) references tenants(tenant_id) on delete cascade;
alter table reviewer_profiles add constraint reviewer_profiles_tenant_id_user_id_users_tenant_id_user_id_fk foreign key (tenant_id, user_id) references users(tenant_id, user_id) on delete cascade;
create index review_assignments_holder_idx on review_assignments using btree (tenant_id, holder, coalesce(due_at, 'infinity'), item_id) where closed_at is null;
create index review_assignments_due_idx on review_assignments using btree (tenant_id, coalesce(due_at, 'infinity'), item_id) where closed_at is null and holder is not null;
create index review_assignments_unassigned_idx on review_assignments using btree (tenant_id, held_at, item_id) where closed_at is null and holder is null;
create index review_assignments_second_idx on review_assignments using btree (tenant_id, second) where closed_at is null;
create index review_assignments_rules_idx on review_assignments using btree (tenant_id, rules_from) where rules_from is not null;
create index review_assignments_closed_idx on review_assignments using btree (closed_at) where closed_at is not null;
--> statement-breakpoint
select protect_tenant_table('assignment_rules');
select protect_tenant_table('review_assignments');
select protect_tenant_table('reviewer_profiles');
--> statement-breakpoint
-- Words of a text. In scripts without spaces, 2 characters of Chinese or Japanese, or 4 of Thai, Lao, Burmese or Khmer, are a word.
create function count_words(content text) returns integer language sql immutable parallel safe
return regexp_count(content, '[^\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+')
  + (regexp_count(content, '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]') + 1) / 2
  + (regexp_count(content, '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]') + 3) / 4;
--> statement-breakpoint
-- Queues the rules of a workspace, unless other items wait for them. The task runs again after it has found items, and a
-- sweep finds what it misses. A job key would make transactions of the workspace wait for one another.
create function queue_assignment_rules(tenant text) returns void language plpgsql as $$
begin
  if not exists (select from review_assignments a where a.tenant_id = tenant and a.rules_from <= now()) then
    perform graphile_worker.add_job('apply_assignment_rules', json_build_object('tenantId', tenant));
  end if;
end $$;
--> statement-breakpoint
-- An item that begins to await review gets its former assignment back, or a row, which waits for the rules if its
-- workspace has some. The assignment of a decided item is closed.
create function follow_review(tenant text, kind text, item text, is_held boolean) returns void language plpgsql as $$
declare
  has_rules boolean;
begin
  if not is_held then
    update review_assignments a set closed_at = now(), rules_from = null
      where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item and a.closed_at is null;
    return;
  end if;
  update review_assignments a set closed_at = null, version = a.version + 1,
      assignee = (select u.user_id from users u where u.tenant_id = tenant and u.user_id = a.assignee and u.active),
      second = (select u.user_id from users u where u.tenant_id = tenant and u.user_id = a.second and u.active)
    where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item;
  if not found then
    has_rules := exists (select from assignment_rules r where r.tenant_id = tenant);
    if has_rules then
      perform queue_assignment_rules(tenant);
    end if;
    insert into review_assignments (tenant_id, item_kind, item_id, version, rules_from)
      values (tenant, kind, item, 0, case when has_rules then now() end) on conflict do nothing;
  end if;
end $$;
create function follow_job() returns trigger language plpgsql as $$
begin
  perform follow_review(new.tenant_id, 'job', new.job_id, new.status in ('awaiting_review', 'refined'));
  return null;
end $$;
create trigger follow_inserted after insert on translation_jobs
  for each row when (new.status in ('awaiting_review', 'refined')) execute function follow_job();
create trigger follow_updated after update on translation_jobs
  for each row when ((old.status in ('awaiting_review', 'refined')) <> (new.status in ('awaiting_review', 'refined')))
  execute function follow_job();
create function follow_document() returns trigger language plpgsql as $$
begin
  perform follow_review(new.tenant_id, 'document', new.document_id, new.status = 'translated' and new.approved_at is null);
  return null;
end $$;
create trigger follow_updated after update on document_jobs
  for each row when ((old.status = 'translated' and old.approved_at is null) <> (new.status = 'translated' and new.approved_at is null))
  execute function follow_document();
-- The arguments are the kind of the item, and the column with its ID.
create function delete_assignments() returns trigger language plpgsql as $$
begin
  execute format($delete$
    delete from review_assignments a using deleted d
    where a.tenant_id = d.tenant_id and a.item_kind = %L and a.item_id = d.%I$delete$, tg_argv[0], tg_argv[1]);
  return null;
end $$;
create trigger delete_assignments after delete on translation_jobs
  referencing old table as deleted for each statement execute function delete_assignments('job', 'job_id');
create trigger delete_assignments after delete on document_jobs
  referencing old table as deleted for each statement execute function delete_assignments('document', 'document_id');
--> statement-breakpoint
-- Nothing stays assigned to a member whose access is revoked. An item that needs a second review still needs one.
create function unassign_member() returns trigger language plpgsql as $$
declare
  has_rules boolean := exists (select from assignment_rules r where r.tenant_id = new.tenant_id);
begin
  if has_rules then
    perform queue_assignment_rules(new.tenant_id);
  end if;
  update review_assignments a set version = a.version + 1,
      assignee = nullif(a.assignee, new.user_id), second = nullif(a.second, new.user_id),
      rules_from = case when has_rules then now() else a.rules_from end
    where a.tenant_id = new.tenant_id and a.closed_at is null and (a.holder = new.user_id or a.second = new.user_id);
  return null;
end $$;
create trigger unassign_member after update on users
  for each row when (old.active and not new.active) execute function unassign_member();
--> statement-breakpoint
create function record_assignment_events() returns trigger language plpgsql as $$
begin
  insert into events (tenant_id, type, resource, resource_id, status)
    select new.tenant_id, case when new.holder is null then 'review.unassigned'
        when tg_op = 'UPDATE' and old.passed_at is null and new.passed_at is not null then 'review.passed'
        else 'review.assigned' end,
      case new.item_kind when 'job' then 'translation' else 'document' end, new.item_id,
      case new.item_kind when 'job' then 'awaiting_review' else 'translated' end
    where exists (select from event_feeds f where f.tenant_id = new.tenant_id);
  return null;
end $$;
create trigger record_inserted after insert on review_assignments
  for each row when (new.holder is not null) execute function record_assignment_events();
create trigger record_updated after update on review_assignments
  for each row when (old.version <> new.version and new.closed_at is null and (old.holder is not null or new.holder is not null))
  execute function record_assignment_events();
--> statement-breakpoint
-- The items that await review now.
insert into review_assignments (tenant_id, item_kind, item_id, version, held_at)
  select tenant_id, 'job', job_id, 0, updated_at from translation_jobs where status in ('awaiting_review', 'refined')
  union all
  select tenant_id, 'document', document_id, 0, updated_at from document_jobs where status = 'translated' and approved_at is null;
