-- Row-level security for every table with tenants' rows. A later migration that adds such a table ends with
-- `select protect_tenant_table('its_name');`: test/db/catalog.test.ts fails without it.
--
-- The scope of a transaction is the setting `lingualoop.tenant_id`: a tenant's id, '*' for the platform; unset or empty, it matches
-- no row. (After a transaction that set it, a connection keeps '': hence nullif.) db/client.ts sets it.

-- The tenant of the scope, for queries that take it from there; '' for the platform.
create function tenant_scope_from() returns text language sql stable parallel safe
return case current_setting('lingualoop.tenant_id', true)
  when '*' then '' else nullif(current_setting('lingualoop.tenant_id', true), '') end;
--> statement-breakpoint
-- Equality of texts whose selectivity PostgreSQL estimates as that of inequality: true for nearly every row. With `=`, the planner
-- multiplies the policy with a query's own `tenant_id = $1`, expects one row of any tenant, and takes any index that begins with
-- tenant_id for as good as any other (docs/decisions/0025).
create operator === (leftarg = text, rightarg = text, function = texteq, restrict = neqsel, join = neqjoinsel);
--> statement-breakpoint
-- Adds the policy. It binds the owner of the table too. The setting stands in a subquery, which PostgreSQL evaluates once for each
-- statement, not for each row.
create function protect_tenant_table(tenant_table regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format(
    'create policy tenant_scope on %s using (tenant_id === (select current_setting(''lingualoop.tenant_id'', true))
       or (select current_setting(''lingualoop.tenant_id'', true)) = ''*'')',
    tenant_table);
end
$$;
--> statement-breakpoint
select protect_tenant_table('tenants');
--> statement-breakpoint
select protect_tenant_table('users');
--> statement-breakpoint
select protect_tenant_table('tokens');
--> statement-breakpoint
select protect_tenant_table('mfa_challenges');
--> statement-breakpoint
select protect_tenant_table('recovery_codes');
--> statement-breakpoint
select protect_tenant_table('reset_links');
--> statement-breakpoint
select protect_tenant_table('invites');
--> statement-breakpoint
select protect_tenant_table('audit_log');
--> statement-breakpoint
select protect_tenant_table('translation_jobs');
--> statement-breakpoint
select protect_tenant_table('usage_records');
--> statement-breakpoint
select protect_tenant_table('usage_totals');
--> statement-breakpoint
select protect_tenant_table('usage_days');
--> statement-breakpoint
select protect_tenant_table('payment_events');
--> statement-breakpoint
select protect_tenant_table('terminology_sets');
--> statement-breakpoint
select protect_tenant_table('terminology_entries');
--> statement-breakpoint
select protect_tenant_table('memory_contents');
--> statement-breakpoint
select protect_tenant_table('memory_sets');
--> statement-breakpoint
select protect_tenant_table('memory_imports');
--> statement-breakpoint
select protect_tenant_table('memory_segments');
--> statement-breakpoint
select protect_tenant_table('memory_shards');
--> statement-breakpoint
select protect_tenant_table('memory_postings');
--> statement-breakpoint
select protect_tenant_table('memory_pair_shards');
--> statement-breakpoint
select protect_tenant_table('memory_pair_postings');
--> statement-breakpoint
select protect_tenant_table('memory_vectors');
