import { useQueryClient } from '@tanstack/react-query';
import { useT } from '../../i18n.tsx';
import { Switch } from '../../kit/switch.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';
import type { Me } from '../../session/use-me.ts';

/** The toggles of the policy, by the setting that they belong to. */
const toggles = {
  policy: ['mfa_required', 'mfa_required_for_sso'],
  instructions: ['review_suspected_instructions'],
  sentences: ['review_tm_sentences'],
  context: ['prefer_tm_context'],
} as const;

type Toggle = (typeof toggles)[keyof typeof toggles][number];

/** Settings of the workspace's policy. A toggle changes only after the service has stored the change. */
export function Policy({
  me: { tenant },
  settings,
}: {
  me: Me;
  settings: readonly (keyof typeof toggles)[];
}) {
  const t = useT();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const change = (toggle: Toggle, value: boolean) =>
    run(async () => {
      // For a platform operator, the request must name the workspace, even the operator's own.
      const request = { [toggle]: value, tenant_id: tenant.id };
      const account = await proved(() => procedures.tenants.setSecurityPolicy.mutate(request));
      queries.setQueryData<Me>(queryKeys.me, (me) => me && { ...me, tenant: account });
      announce(t('common.saved'));
    })();
  return (
    <>
      {error ? <Problem error={error} /> : null}
      {settings.map((setting) => (
        <Setting
          key={setting}
          id={setting}
          title={t(`security.${setting}`)}
          why={t(`security.${setting}_why`)}
        >
          {toggles[setting].map((toggle) => (
            <Switch
              key={toggle}
              label={t(`security.${toggle}`)}
              hint={t(`security.${toggle}_hint`)}
              isOn={tenant.metadata[toggle] === true}
              isBusy={isBusy}
              onChange={(isOn) => void change(toggle, isOn)}
            />
          ))}
        </Setting>
      ))}
    </>
  );
}
