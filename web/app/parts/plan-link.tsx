import { deployment } from '../deployment.ts';
import { useT } from '../i18n.tsx';
import { isAdministrator, useMe } from '../session/use-me.ts';

/** The next step if something needs a plan: the billing page, or the person who can open it. */
export function PlanLink() {
  const t = useT();
  const { data: me } = useMe();
  if (!deployment.billing) return <>{t('common.plan_from_operator')}</>;
  if (me && !isAdministrator(me)) return <>{t('common.plan_from_administrator')}</>;
  return <a href={`${deployment.basePath}/billing`}>{t('common.open_billing')}</a>;
}
