alter table invites add column languages jsonb default '[]'::jsonb not null;
alter table review_assignments add column first_passed_at timestamp (3) with time zone;
alter table review_assignments add column decided_at timestamp (3) with time zone;
create index review_assignments_decided_idx on review_assignments using btree (tenant_id, decided_at) where decided_at is not null;
--> statement-breakpoint
-- Words of a text, counted as since migration 0011. Most texts have only letters of Latin, Greek and Cyrillic script, digits and
-- common punctuation; each part between spaces is a word, unless a part is only punctuation. Then no word is searched for,
-- which takes three times as long.
create or replace function count_words(content text) returns integer language sql immutable parallel safe
return case
  when content !~ '[^ -~\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f\u00ab\u00bb\u2013\u2014\u2018-\u201e\u2026]|(^| )[!-/:-@[-`{-~\u00ab\u00bb\u2013\u2014\u2018-\u201e\u2026]+( |$)'
  then cardinality(array_remove(string_to_array(content, ' '), ''))
  else regexp_count(content, '[^\s\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u0964\u0965\u2000-\u206f\u2190-\u2bff\u3000-\u303f\ufe00-\ufe6f\ufeff-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\U0001f000-\U0001faff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff][^\s\u00a0\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]*')
  + (regexp_count(content, '[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]') + 1) / 2
  + (regexp_count(content, '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]') + 3) / 4 end;
--> statement-breakpoint
-- An item that begins to await review gets its former assignment back, or a row, which waits for the rules if its
-- workspace has some. The assignment of a decided item is closed. Reports count closed rows, so they are kept.
drop function follow_review(text, text, text, boolean);
create function follow_review(tenant text, kind text, item text, is_held boolean, is_decided boolean) returns void language plpgsql as $$
declare
  has_rules boolean;
begin
  if not is_held then
    update review_assignments a set closed_at = now(), rules_from = null, decided_at = case when is_decided then now() end
      where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item and a.closed_at is null;
    return;
  end if;
  -- Version 0 is that of an item that was never assigned.
  update review_assignments a set closed_at = null, decided_at = null, version = a.version + least(a.version, 1),
      assignee = (select u.user_id from users u where u.tenant_id = tenant and u.user_id = a.assignee and u.active),
      second = (select u.user_id from users u where u.tenant_id = tenant and u.user_id = a.second and u.active)
    where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item
      and (a.closed_at is null or a.closed_at > now() - interval '1 day');
  if not found then
    delete from review_assignments a where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item;
    has_rules := exists (select from assignment_rules r where r.tenant_id = tenant);
    if has_rules then
      perform queue_assignment_rules(tenant);
    end if;
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
  end if;
end $$;
create or replace function follow_job() returns trigger language plpgsql as $$
begin
  perform follow_review(new.tenant_id, 'job', new.job_id, new.status in ('awaiting_review', 'refined'), new.decided_at is not null);
  return null;
end $$;
create or replace function follow_document() returns trigger language plpgsql as $$
begin
  perform follow_review(new.tenant_id, 'document', new.document_id, new.status = 'translated' and new.approved_at is null,
    new.approved_at is not null);
  return null;
end $$;
--> statement-breakpoint
update review_assignments a set source_lang = coalesce(j.request ->> 'source_lang', ''), target_lang = coalesce(j.request ->> 'target_lang', '')
  from translation_jobs j where a.target_lang = '' and a.item_kind = 'job' and j.tenant_id = a.tenant_id and j.job_id = a.item_id;
update review_assignments a set source_lang = coalesce(d.request ->> 'source_lang', ''), target_lang = coalesce(d.request ->> 'target_lang', '')
  from document_jobs d where a.target_lang = '' and a.item_kind = 'document' and d.tenant_id = a.tenant_id and d.document_id = a.item_id;
--> statement-breakpoint
-- A new member gets the languages of the invite, in the same transaction.
create function take_invited_languages() returns trigger language plpgsql as $$
begin
  insert into reviewer_profiles (tenant_id, user_id, languages)
    select i.tenant_id, new.user_id, i.languages from invites i
    where i.tenant_id = new.tenant_id and i.redeemed_by = new.user_id and i.languages <> '[]';
  return null;
end $$;
create trigger take_invited_languages after insert on users
  for each row execute function take_invited_languages();
