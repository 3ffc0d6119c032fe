import type { Workspace } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { StepHeading } from './step-heading.tsx';

/** Asks for a workspace: one email address and password, or one identity, may belong to several workspaces. */
export function WorkspaceChoice({
  tenants,
  choose,
}: {
  tenants: Workspace[];
  choose(tenantId: string): Promise<void>;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  return (
    <>
      <StepHeading focus>{t('signin.choose_workspace')}</StepHeading>
      {error !== undefined && <Problem error={error} />}
      <ul className="choices">
        {tenants.map(({ tenant_id, tenant_name }) => (
          <li key={tenant_id}>
            <button type="button" disabled={isBusy} onClick={run(() => choose(tenant_id))}>
              <bdi>{tenant_name}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
