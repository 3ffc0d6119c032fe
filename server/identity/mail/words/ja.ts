import type { MailWords } from './words.ts';

export const ja: MailWords = {
  invite: {
    subject: 'ワークスペース {workspace} への招待',
    lead: '{by} さんが LinguaLoop のワークスペース {workspace} にあなたを招待しています。',
    leadByOperator: 'LinguaLoop の運用者がワークスペース {workspace} にあなたを招待しています。',
    action: '招待を承諾',
    until: 'リンクは {when} まで、1 回だけ使えます。',
    why: 'この招待に心当たりがない場合は、このメールを無視してください。リンクを開かない限り、何も起こりません。',
  },
  confirmation: {
    subject: 'メールアドレスの確認',
    lead: 'このメールアドレスで LinguaLoop のアカウントが作成されました。ご本人の場合は、アドレスを確認してください。確認すると、LinguaLoop からのメールの受信と招待の送信ができます。',
    action: 'アドレスを確認',
    why: 'お心当たりがない場合は、このメールを無視してください。アドレスが確認されるまで、このアカウントに通知メールは届きません。',
  },
  resetLink: {
    subject: '新しいパスワードの設定',
    lead: '管理者が、LinguaLoop のワークスペース {workspace} の新しいパスワードを設定するためのリンクを作成しました。',
    leadOwn:
      'LinguaLoop のサインイン画面で、ワークスペース {workspace} のあなたのアカウントの新しいパスワードが要求されました。',
    action: 'パスワードを設定',
    until: 'リンクは {when} まで、1 回だけ使えます。使うとすべてのセッションが終了します。',
    why: '新しいパスワードを依頼していない場合は、このメールを無視して管理者に知らせてください。パスワードは変わりません。',
  },
  security: {
    authenticator: 'アカウントに新しい認証アプリが設定されました',
    recovery_codes: 'アカウントの新しいリカバリーコードが作成されました',
    password: 'パスワードが変更されました',
    provider: 'シングルサインオンがアカウントに連携されました',
    lead: 'LinguaLoop のワークスペース {workspace} のアカウント、{when}。',
    why: 'ご自身による操作であれば、何もする必要はありません。心当たりがない場合は、パスワードを変更し、ワークスペースの管理者に認証アプリのリセットを依頼してください。',
    action: 'セキュリティ設定を開く',
  },
  secondReview: {
    subject: '2 回目のレビューが必要な項目が減りました',
    lead: '管理者が LinguaLoop のワークスペース {workspace} の割り当てまたはそのルールを変更し、2 回目のレビューが必要な項目が減りました。{when}。',
    why: '心当たりがない場合は、ルールを確認してください。変更した人は監査ログに記録されています。',
    action: '割り当てルールを開く',
  },
  digest: {
    subject: { other: '{n} 件がレビュー待ちです' },
    lead: { other: 'ワークスペース {workspace} で {n} 件がレビュー待ちです。' },
    assigned: { other: 'あなたに {n} 件が割り当てられています。' },
    dueSoon: { other: '{n} 件の期限が 1 日以内です。' },
    overdue: { other: '{n} 件が期限を過ぎています。' },
    action: '受信トレイを開く',
  },
  decisions: {
    approved: { other: '{n} 件の翻訳が承認されました。' },
    rejected: { other: '{n} 件の翻訳が却下されました。' },
    lead: 'ワークスペース {workspace} で送信した翻訳です。却下された翻訳は公開されません。',
    open: '翻訳を開く',
  },
  documents: {
    translated: { other: '{n} 件の文書の翻訳が完了しました。' },
    failed: { other: '{n} 件の文書を翻訳できませんでした。' },
    lead: 'ワークスペース {workspace} で送信した文書です。',
    openOne: '文書を開く',
    openAll: 'ファイルを開く',
  },
  link: 'ボタンが動作しない場合は、この URL を開いてください。',
  why: 'ワークスペース {workspace} のメンバーであるため、このメールをお送りしています。',
  unsubscribe: 'この種類のメールを停止する',
};
