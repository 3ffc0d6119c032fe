import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedInvite, InviteRecord } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { roleName } from './member.ts';
import { RoleChoice } from './role-choice.tsx';

/** Lists the workspace's invites, whatever their state, and shows the form to create one. */
export function Invites({ pageSize }: { pageSize: number }) {
  const t = useT();
  const format = useFormat();
  const queries = useQueryClient();
  const { reading, more } = usePages(queryKeys.invites, (cursor) =>
    client.tenants.invites.listPage({ limit: pageSize, ...(cursor && { cursor }) }),
  );
  const [withdrawn, setWithdrawn] = useState<InviteRecord>();
  const again = () => queries.invalidateQueries({ queryKey: queryKeys.invites });
  return (
    <section aria-labelledby="invites">
      <h2 id="invites">{t('members.invites')}</h2>
      <InviteForm onCreated={again} />
      <Read from={reading}>
        {(invites) =>
          invites.length === 0 ? (
            <p>{t('members.no_invites')}</p>
          ) : (
            <div className="table-scroll">
              <table className="stacked">
                <thead>
                  <tr>
                    <th scope="col">{t('members.invite_for')}</th>
                    <th scope="col">{t('members.role')}</th>
                    <th scope="col">{t('members.status')}</th>
                    <th scope="col">{t('members.expires')}</th>
                    <th scope="col">{t('members.invited_by')}</th>
                    <th scope="col">
                      <span className="visually-hidden">{t('members.actions')}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {invites.map((invite) => (
                    <tr key={invite.invite_id}>
                      <td data-label={t('members.invite_for')}>
                        {invite.email === null ? (
                          t('members.anybody')
                        ) : (
                          <bdi translate="no">{invite.email}</bdi>
                        )}
                      </td>
                      <td data-label={t('members.role')}>{roleName(invite.role, t)}</td>
                      <td data-label={t('members.status')}>
                        <span className={`badge ${invite.status === 'pending' ? 'good' : ''}`}>
                          {t(`members.invite_${invite.status}`)}
                        </span>
                      </td>
                      <td data-label={t('members.expires')}>{format.moment(invite.expires_at)}</td>
                      <td data-label={t('members.invited_by')}>
                        <bdi translate="no">{invite.created_by}</bdi>
                      </td>
                      <td>
                        {invite.status === 'pending' && (
                          <button type="button" className="small" onClick={() => setWithdrawn(invite)}>
                            {t('members.withdraw')}{' '}
                            <bdi className="visually-hidden">{invite.email ?? t('members.anybody')}</bdi>
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Read>
      <More of={more} />
      {withdrawn && (
        <ConfirmDialog
          title={t('members.withdraw_title')}
          action={t('members.withdraw')}
          onClose={() => setWithdrawn(undefined)}
          onConfirm={async () => {
            await client.tenants.invites.withdraw(withdrawn.invite_id);
            announce(t('members.withdrawn'));
            await again();
          }}
        >
          <p>{t('members.withdraw_why')}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function InviteForm({ onCreated }: { onCreated: () => Promise<unknown> }) {
  const t = useT();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('agent_id_developer');
  const [days, setDays] = useState('');
  const [created, setCreated] = useState<CreatedInvite>();
  const { run, error, isBusy } = useAction();
  const submit = run(async () => {
    setCreated(
      await client.tenants.invites.create({
        role: role as never,
        ...(email.trim() !== '' && { email: email.trim() }),
        ...(days !== '' && { expires_in_days: Number(days) }),
      }),
    );
    setEmail('');
    announce(t('members.invited'));
    await onCreated();
  });

  const wrongEmail = fieldProblem(error, 'email');
  const wrongDays = fieldProblem(error, 'expires_in_days');
  return (
    <details open={created !== undefined || undefined}>
      <summary>{t('members.invite')}</summary>
      <form className="form" onSubmit={submit}>
        {error && !wrongEmail && !wrongDays ? <Problem error={error} /> : null}
        <Field
          label={t('members.email')}
          hint={t('members.invite_email_hint')}
          problem={wrongEmail}
          type="email"
          maxLength={320}
          autoComplete="off"
          value={email}
          onValue={setEmail}
        />
        <RoleChoice value={role} onChange={setRole} />
        <Field
          label={t('members.days')}
          hint={t('members.days_hint')}
          problem={wrongDays}
          type="number"
          min={1}
          max={30}
          value={days}
          onValue={setDays}
        />
        <button type="submit" className="primary" disabled={isBusy}>
          {t('members.create_invite')}
        </button>
      </form>
      {created && (
        <ShownOnce
          key={created.invite_id}
          label={t('members.invite_link')}
          value={inviteLink(created.invite_token)}
        />
      )}
    </details>
  );
}

/** The URL at which an invite is accepted. The token is in the fragment, which browsers do not send to servers. */
function inviteLink(token: string): string {
  return `${location.origin}${deployment.basePath}/signin#invite_token=${encodeURIComponent(token)}`;
}
