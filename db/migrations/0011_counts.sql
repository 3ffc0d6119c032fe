-- Words of a text, for assignments, analyses and checks. A word begins with a letter or digit and ends at white space. In scripts
-- without spaces, 2 characters of Chinese or Japanese, or 4 of Thai, Lao, Burmese or Khmer, are a word.
-- The classes name their characters, because those of the server depend on its locale.
create or replace function count_words(content text) returns integer language sql immutable parallel safe
return regexp_count(content, '[^\s\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u0964\u0965\u2000-\u206f\u2190-\u2bff\u3000-\u303f\ufe00-\ufe6f\ufeff-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\U0001f000-\U0001faff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff][^\s\u00a0\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]*')
  + (regexp_count(content, '[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]') + 1) / 2
  + (regexp_count(content, '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]') + 3) / 4;
--> statement-breakpoint
-- Words of the text of a request. In HTML, tags are no words.
create function count_words_of(request jsonb) returns integer language sql immutable parallel safe
return coalesce(count_words(case when request ->> 'text_type' = 'Html'
  then regexp_replace(request ->> 'source_text', '<[^<>]*>|&(nbsp|#160|amp|lt|gt);', ' ', 'g')
  else request ->> 'source_text' end), 0);
--> statement-breakpoint
update review_assignments a set words = count_words_of(j.request) from translation_jobs j
  where a.item_kind = 'job' and j.tenant_id = a.tenant_id and j.job_id = a.item_id;
-- To count the segments of all documents would take too long.
update review_assignments a set words = d.source_chars / 6 from document_jobs d
  where a.words is null and a.item_kind = 'document' and d.tenant_id = a.tenant_id and d.document_id = a.item_id;
update review_assignments set words = 0 where words is null;
--> statement-breakpoint
alter table review_assignments alter column words set default 0;
alter table review_assignments alter column words set not null;
--> statement-breakpoint
-- Under a policy, no condition on an expression uses an index. Without the conditions of the indexes, the planner takes
-- others for lists that they do not sort.
alter table review_assignments add column due timestamp (3) with time zone generated always as (coalesce(due_at, 'infinity')) stored;
drop index review_assignments_holder_idx;
drop index review_assignments_due_idx;
drop index review_assignments_second_idx;
create index review_assignments_holder_idx on review_assignments using btree (tenant_id, holder, due, item_id, words) where closed_at is null and holder is not null;
create index review_assignments_due_idx on review_assignments using btree (tenant_id, due, item_id) where closed_at is null and holder is not null;
create index review_assignments_second_idx on review_assignments using btree (tenant_id, second) where closed_at is null and second is not null;
--> statement-breakpoint
-- An item that begins to await review gets its former assignment back, or a row, which waits for the rules if its
-- workspace has some. The assignment of a decided item is closed.
create or replace function follow_review(tenant text, kind text, item text, is_held boolean) returns void language plpgsql as $$
declare
  has_rules boolean;
begin
  if not is_held then
    update review_assignments a set closed_at = now(), rules_from = null
      where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item and a.closed_at is null;
    return;
  end if;
  -- Version 0 is that of an item that was never assigned.
  update review_assignments a set closed_at = null, version = a.version + least(a.version, 1),
      assignee = (select u.user_id from users u where u.tenant_id = tenant and u.user_id = a.assignee and u.active),
      second = (select u.user_id from users u where u.tenant_id = tenant and u.user_id = a.second and u.active)
    where a.tenant_id = tenant and a.item_kind = kind and a.item_id = item;
  if not found then
    has_rules := exists (select from assignment_rules r where r.tenant_id = tenant);
    if has_rules then
      perform queue_assignment_rules(tenant);
    end if;
    insert into review_assignments (tenant_id, item_kind, item_id, version, rules_from, words)
      values (tenant, kind, item, 0, case when has_rules then now() end, case kind
        when 'job' then (select count_words_of(j.request) from translation_jobs j where j.tenant_id = tenant and j.job_id = item)
        else (select coalesce(sum(count_words(s.source_text)), 0) from document_segments s
          where s.tenant_id = tenant and s.document_id = item) end)
      on conflict do nothing;
  end if;
end $$;
--> statement-breakpoint
create function billable_characters_of(results jsonb) returns bigint language sql immutable parallel safe
return (select coalesce(sum((value ->> 'billable_characters')::bigint), 0) from jsonb_each(results));
alter table analysis_files add column counted smallint generated always as (jsonb_array_length(jsonb_path_query_array(results, '$.*'))) stored;
alter table analysis_files add column billable_characters bigint generated always as (billable_characters_of(results)) stored;
drop index analysis_files_waiting_idx;
create index analysis_files_pending_idx on analysis_files using btree (tenant_id, analysis_id) where (state = 'waiting' or jsonb_path_exists(starts, '$.*.state ? (@ == "requested")'));
