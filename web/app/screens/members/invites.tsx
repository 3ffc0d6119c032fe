import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tenants } from '#sdk/tenants.ts';
import type { CreatedInvite, InviteRecord, MemberRole, ReviewerProfile } from '#sdk/types.ts';
import { LanguageFields } from '../../assignments/profile-dialog.tsx';
import { bound } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { Setting } from '../../parts/setting.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';
import { InviteTable } from './invite-table.tsx';
import { RoleChoice } from './member-dialog.tsx';

/** Invites of the workspace: the form to create one, the pending ones, and the former ones. */
export function Invites({ pageSize }: { pageSize: number }) {
  const t = useT();
  const queries = useQueryClient();
  const { reading, more } = usePages(queryKeys.invites, (cursor) =>
    bound(tenants).invites.listPage({ limit: pageSize, ...(cursor && { cursor }) }),
  );
  /** The service returns the token of an invite only once, so only links of this page view can be copied. */
  const [links, setLinks] = useState<ReadonlyMap<string, string>>(new Map());
  const [created, setCreated] = useState<CreatedInvite>();
  const [question, setQuestion] = useState<{ what: 'withdraw' | 'renew'; invite: InviteRecord }>();
  const again = () => queries.invalidateQueries({ queryKey: queryKeys.invites });
  const keep = async (invite: CreatedInvite) => {
    setLinks((before) => new Map(before).set(invite.invite_id, inviteLink(invite.invite_token)));
    setCreated(invite);
    announce(t('members.invited'));
    await again();
  };
  const withdraw = async ({ invite_id }: InviteRecord) => {
    await bound(tenants).invites.withdraw(invite_id);
    announce(t('members.withdrawn'));
    await again();
  };
  /** The old link is withdrawn first, so that no failure leaves two valid links. */
  const renew = async (invite: InviteRecord) => {
    await bound(tenants).invites.withdraw(invite.invite_id);
    try {
      await keep(await bound(tenants).invites.create(requestOf(invite)));
    } finally {
      await again();
    }
  };
  return (
    <Setting
      id="invites"
      title={t('members.invites')}
      why={t(deployment.mail ? 'members.invites_mailed_why' : 'members.invites_why')}
      wide
    >
      <InviteForm onCreated={keep} />
      {created && (
        <ShownOnce
          key={created.invite_id}
          label={t('members.invite_link')}
          value={inviteLink(created.invite_token)}
        />
      )}
      <Read from={reading}>
        {(invites) => {
          const pending = invites.filter(({ status }) => status === 'pending');
          const former = invites.filter(({ status }) => status !== 'pending');
          return (
            <>
              {invites.length === 0 && <p>{t('members.no_invites')}</p>}
              {pending.length > 0 && <InviteTable invites={pending} links={links} onAsk={setQuestion} />}
              {former.length > 0 && (
                <details>
                  <summary>{t('members.former_invites', { count: former.length })}</summary>
                  <InviteTable invites={former} />
                </details>
              )}
            </>
          );
        }}
      </Read>
      <More of={more} />
      {question && (
        <ConfirmDialog
          title={t(`members.${question.what}_title`)}
          action={t(`members.${question.what}`)}
          onClose={() => setQuestion(undefined)}
          onConfirm={() => (question.what === 'renew' ? renew : withdraw)(question.invite)}
        >
          <p>{t(`members.${question.what}_why`)}</p>
        </ConfirmDialog>
      )}
    </Setting>
  );
}

/** The URL at which an invite is accepted. The token is in the fragment, which browsers do not send to servers. */
function inviteLink(token: string): string {
  return `${location.origin}${deployment.basePath}/signin#invite_token=${encodeURIComponent(token)}`;
}

/** The request that creates an invite like an existing one, with the default validity. */
function requestOf({ email, role, languages }: InviteRecord) {
  return { role: role as MemberRole, ...(languages && { languages }), ...(email !== null && { email }) };
}

/** Creates an invite. @param onCreated gets the invite with its token, which the service returns only once */
function InviteForm({ onCreated }: { onCreated: (invite: CreatedInvite) => Promise<unknown> }) {
  const t = useT();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>('agent_id_developer');
  const [languages, setLanguages] = useState<ReviewerProfile['languages']>([]);
  const [days, setDays] = useState('');
  const create = async () => {
    const request = {
      role,
      languages,
      ...(email.trim() !== '' && { email: email.trim() }),
      ...(days !== '' && { expires_in_days: Number(days) }),
    };
    const created = await proved(() => procedures.members.createInvite.mutate(request));
    setEmail('');
    await onCreated(created);
  };
  return (
    <details>
      <summary className="button">{t('members.invite')}</summary>
      <Form action={t('members.create_invite')} onSubmit={create}>
        <Field
          label={t('members.email')}
          hint={t('members.invite_email_hint')}
          name="email"
          type="email"
          maxLength={320}
          autoComplete="off"
          value={email}
          onValue={setEmail}
        />
        <RoleChoice value={role} onChange={(chosen) => setRole(chosen as MemberRole)} />
        <LanguageFields languages={languages} onChange={setLanguages} />
        <Field
          label={t('members.days')}
          hint={t('members.days_hint')}
          name="expires_in_days"
          type="number"
          min={1}
          max={30}
          value={days}
          onValue={setDays}
        />
      </Form>
    </details>
  );
}
