-- Row-level security by a condition that the planner takes for nearly always true (docs/decisions/0025).
--
-- The policy was a range, tenant_id between the scope's ends, beside each query's own tenant_id = $1. The planner multiplied
-- the two: it took all rows of any tenant for one row, and so every index that begins with tenant_id for as good as any
-- other. Once there were statistics, the jobs of an idempotency key were looked for among all jobs of their tenant.
-- The setting stands in a subquery, so that it is read once for each statement and not for each row.

-- Equality of texts, estimated as inequality is: a row that a query finds by its tenant_id is in the tenant's scope.
create operator === (leftarg = text, rightarg = text, function = texteq, restrict = neqsel, join = neqjoinsel);
--> statement-breakpoint
create or replace function protect_tenant_table(tenant_table regclass) returns void language plpgsql as $$
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
do $$
declare
  protected regclass;
begin
  for protected in select polrelid::regclass from pg_policy where polname = 'tenant_scope' loop
    execute format('drop policy tenant_scope on %s', protected);
    perform protect_tenant_table(protected);
  end loop;
end
$$;
--> statement-breakpoint
drop function tenant_scope_to();
