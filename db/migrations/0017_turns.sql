alter table document_jobs add column changed_since_approval timestamp (3) with time zone;
--> statement-breakpoint
-- An item that begins to await review gets its former assignment back, or a row, which waits for the rules if its
-- workspace has some. A second review stays demanded, however long ago the decision was. After a day, the time of the
-- review starts again. The assignment of a decided item is closed. Reports count closed rows, so they are kept.
create or replace function follow_review(tenant text, kind text, item text, is_held boolean, is_decided boolean) returns void language plpgsql as $$
declare
  has_rules boolean;
begin
  if not is_held then
    update review_assignments a set closed_at = now(), rules_from = null, decided_at = case when is_decided then now() end
      where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item and a.closed_at is null;
    return;
  end if;
  has_rules := exists (select from assignment_rules r where r.tenant_id = tenant);
  if has_rules then
    perform queue_assignment_rules(tenant);
  end if;
  -- Version 0 is that of an item that was never assigned.
  update review_assignments a set closed_at = null, decided_at = null, version = a.version + least(a.version, 1),
      assignee = (select u.user_id from users u where u.tenant_id = tenant and u.user_id = a.assignee and u.active),
      second = (select u.user_id from users u where u.tenant_id = tenant and u.user_id = a.second and u.active),
      held_at = case when a.closed_at < now() - interval '1 day' then now() else a.held_at end,
      due_at = case when a.closed_at < now() - interval '1 day' then null else a.due_at end,
      first_passed_at = case when a.closed_at < now() - interval '1 day' then null else a.first_passed_at end
    where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item
      and (a.closed_at is null or a.closed_at > now() - interval '1 day' or a.four_eyes);
  if found then
    update review_assignments a set rules_from = now()
      where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item and has_rules
        and (a.assignee is null or (a.four_eyes and a.second is null));
    return;
  end if;
  delete from review_assignments a where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item;
  insert into review_assignments (tenant_id, item_kind, item_id, version, rules_from, source_lang, target_lang, words)
    select tenant, kind, item, 0, case when has_rules then now() end,
      coalesce(i.request ->> 'source_lang', ''), coalesce(i.request ->> 'target_lang', ''), i.words
    from (
      select j.request, count_words_of(j.request) as words from translation_jobs j
        where kind = 'job' and j.tenant_id = tenant and j.job_id = item
      union all
      select d.request, (select coalesce(sum(count_words(s.source_text)), 0) from document_segments s
          where s.tenant_id = tenant and s.document_id = item) from document_jobs d
        where kind = 'document' and d.tenant_id = tenant and d.document_id = item) i
    on conflict do nothing;
end $$;
--> statement-breakpoint
create function record_change_of_approved() returns trigger language plpgsql as $$
begin
  insert into events (tenant_id, type, resource, resource_id, status)
    select new.tenant_id, 'review.changed', 'document', new.document_id, new.status
    where exists (select from event_feeds f where f.tenant_id = new.tenant_id);
  return null;
end $$;
create trigger record_changed after update on document_jobs
  for each row when (new.changed_since_approval is not null and old.changed_since_approval is distinct from new.changed_since_approval)
  execute function record_change_of_approved();
