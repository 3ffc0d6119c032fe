create table spelling_words (
  tenant_id text collate "C" not null,
  lang text collate "C" not null,
  word text collate "C" not null,
  constraint spelling_words_tenant_id_lang_word_pk primary key (tenant_id, lang, word)
);
--> statement-breakpoint
alter table spelling_words add constraint spelling_words_tenant_id_tenants_tenant_id_fk foreign key (tenant_id) references tenants (tenant_id) on delete cascade;
--> statement-breakpoint
select protect_tenant_table('spelling_words');
