create table quality_calibrations (
  tenant_id text collate "C" not null,
  target_lang text not null,
  computed_at timestamp (3) with time zone default now() not null,
  checks integer not null,
  steps jsonb not null,
  agreement jsonb,
  constraint quality_calibrations_tenant_id_target_lang_pk primary key(tenant_id,target_lang)
);
--> statement-breakpoint
create table quality_checks (
  tenant_id text collate "C" not null,
  check_id text collate "C" not null,
  origin text not null,
  item_kind text not null,
  item_id text collate "C" not null,
  "position" integer not null,
  source_lang text not null,
  target_lang text not null,
  domain text not null,
  day date not null,
  score smallint,
  route text not null,
  probability real default 1 not null,
  reviewed_by text collate "C",
  state text not null,
  created_at timestamp (3) with time zone default now() not null,
  checked_at timestamp (3) with time zone,
  checked_by text collate "C",
  verdict text,
  errors jsonb default '[]'::jsonb not null,
  words integer default 0 not null,
  dispute jsonb,
  repeats text collate "C",
  replaced_at timestamp (3) with time zone,
  constraint quality_checks_tenant_id_check_id_pk primary key(tenant_id,check_id)
);
--> statement-breakpoint
create table quality_scores (
  tenant_id text collate "C" not null,
  day date not null,
  target_lang text not null,
  domain text not null,
  route text not null,
  score smallint not null,
  texts integer not null,
  constraint quality_scores_tenant_id_day_target_lang_domain_route_score_pk primary key(tenant_id,day,target_lang,domain,route,score)
);
--> statement-breakpoint
create table quality_settings (
  tenant_id text collate "C" not null,
  sample_percent real default 0 not null,
  language_percents jsonb default '{}'::jsonb not null,
  minor_points smallint default 1 not null,
  major_points smallint default 5 not null,
  critical_points smallint default 25 not null,
  pass_score real default 95 not null,
  counted_at timestamp (3) with time zone,
  counted_job text collate "C" default '' not null,
  decided_until timestamp (3) with time zone,
  calibrated_at timestamp (3) with time zone,
  constraint quality_settings_tenant_id_pk primary key(tenant_id)
);
--> statement-breakpoint
create table rejected_terms (
  tenant_id text collate "C" not null,
  source_lang text collate "C" not null,
  term text not null,
  rejected_by text collate "C",
  rejected_at timestamp (3) with time zone default now() not null,
  constraint rejected_terms_tenant_id_source_lang_term_pk primary key(tenant_id,source_lang,term)
);
--> statement-breakpoint
alter table rejected_terms add constraint rejected_terms_tenant_id_tenants_tenant_id_fk foreign key (tenant_id) references tenants(tenant_id) on delete cascade;
alter table quality_calibrations add constraint quality_calibrations_tenant_id_tenants_tenant_id_fk foreign key (tenant_id) references tenants(tenant_id) on delete cascade;
alter table quality_checks add constraint quality_checks_tenant_id_tenants_tenant_id_fk foreign key (tenant_id) references tenants(tenant_id) on delete cascade;
alter table quality_scores add constraint quality_scores_tenant_id_tenants_tenant_id_fk foreign key (tenant_id) references tenants(tenant_id) on delete cascade;
alter table quality_settings add constraint quality_settings_tenant_id_tenants_tenant_id_fk foreign key (tenant_id) references tenants(tenant_id) on delete cascade;
create index quality_checks_day_idx on quality_checks using btree (tenant_id,day,target_lang);
create index quality_checks_open_idx on quality_checks using btree (tenant_id,check_id) where state = 'open';
create index quality_checks_checked_idx on quality_checks using btree (tenant_id,checked_at);
create index quality_checks_item_idx on quality_checks using btree (tenant_id,item_id,"position");
create index document_jobs_approved_idx on document_jobs using btree (tenant_id,approved_at) where approved_at is not null;
create index translation_jobs_decided_idx on translation_jobs using btree (tenant_id,decided_at) where decided_at is not null;
--> statement-breakpoint
select protect_tenant_table('quality_settings');
select protect_tenant_table('quality_scores');
select protect_tenant_table('quality_checks');
select protect_tenant_table('quality_calibrations');
select protect_tenant_table('rejected_terms');
--> statement-breakpoint
-- What members wrote about a text is deleted together with it, and nobody checks it any longer. The argument is the
-- column with the ID of the item.
create function forget_checked_texts() returns trigger language plpgsql as $$
begin
  execute format($forget$
    update quality_checks c set
      errors = (select coalesce(jsonb_agg(error || '{"note": ""}'), '[]') from jsonb_array_elements(c.errors) error),
      dispute = c.dispute || '{"note": ""}',
      state = case c.state when 'open' then 'skipped' else c.state end
    from deleted d where c.tenant_id = d.tenant_id and c.item_id = d.%I$forget$, tg_argv[0]);
  return null;
end $$;
create trigger forget_checked_texts after delete on translation_jobs
  referencing old table as deleted for each statement execute function forget_checked_texts('job_id');
create trigger forget_checked_texts after delete on document_jobs
  referencing old table as deleted for each statement execute function forget_checked_texts('document_id');
