import { useQuery, useQueryClient } from '@tanstack/react-query';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Switch } from '../../kit/switch.tsx';
import { Forbidden } from '../../parts/admins-only.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { useMe } from '../../session/use-me.ts';

const kinds = ['digest', 'documents'] as const;

type Kind = (typeof kinds)[number];

/** `/app/settings/notifications`: the emails that the member gets. */
export function NotificationsScreen() {
  const t = useT();
  return (
    <>
      <title>{`${t('notifications.title')} · LinguaLoop`}</title>
      <h1>{t('notifications.title')}</h1>
      {deployment.mail ? <Emails /> : <Forbidden why={t('notifications.off')} />}
    </>
  );
}

/** A switch for each kind of email. A switch changes only after the service has stored the change. */
function Emails() {
  const t = useT();
  const me = useMe();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const preferences = useQuery({
    queryKey: queryKeys.mailPreferences,
    queryFn: () => procedures.mail.preferences.query(),
  });
  const change = (kind: Kind, isOn: boolean) =>
    run(async () => {
      const now = await procedures.mail.setPreferences.mutate({ [kind]: isOn });
      queries.setQueryData(queryKeys.mailPreferences, now);
      announce(t('common.saved'));
    })();
  return (
    <Setting
      id="emails"
      title={t('notifications.emails')}
      why={me.data && t('notifications.emails_why', { email: me.data.user.email })}
    >
      {error ? <Problem error={error} /> : null}
      <Read from={preferences}>
        {(known) =>
          kinds.map((kind) => (
            <Switch
              key={kind}
              label={t(`notifications.${kind}`)}
              hint={t(`notifications.${kind}_hint`)}
              isOn={known[kind]}
              isBusy={isBusy}
              onChange={(isOn) => void change(kind, isOn)}
            />
          ))
        }
      </Read>
    </Setting>
  );
}
