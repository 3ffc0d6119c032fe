import type { OptionalMail } from '#server/identity/mail/preferences.ts';
import type { Locale } from './locale.ts';

/** The texts of the pages at which members switch mails off. */
interface UnsubscribeWords extends Record<OptionalMail, string> {
  title: string;
  submit: string;
  done: string;
  again: string;
}

export const unsubscribeWords: Record<Locale, UnsubscribeWords> = {
  en: {
    title: 'Switch off emails',
    digest: 'You get an email each day on which items await review in your workspace.',
    documents: 'You get an email when documents that you submitted are translated.',
    submit: 'Switch off these emails',
    done: 'These emails are off',
    again: 'You can switch them on again in the application, under “Notifications”.',
  },
  fr: {
    title: 'Désactiver des e-mails',
    digest:
      'Vous recevez un e-mail chaque jour où des éléments sont en attente de révision dans votre espace de travail.',
    documents: 'Vous recevez un e-mail lorsque des documents que vous avez soumis sont traduits.',
    submit: 'Désactiver ces e-mails',
    done: 'Ces e-mails sont désactivés',
    again: 'Vous pouvez les réactiver dans l’application, sous « Notifications ».',
  },
  de: {
    title: 'E-Mails abschalten',
    digest:
      'Sie erhalten an jedem Tag eine E-Mail, an dem in Ihrem Arbeitsbereich Elemente auf Prüfung warten.',
    documents: 'Sie erhalten eine E-Mail, wenn von Ihnen eingereichte Dokumente übersetzt sind.',
    submit: 'Diese E-Mails abschalten',
    done: 'Diese E-Mails sind abgeschaltet',
    again: 'Sie können sie in der Anwendung unter „Benachrichtigungen“ wieder einschalten.',
  },
  es: {
    title: 'Desactivar correos',
    digest:
      'Recibes un correo cada día en que hay elementos pendientes de revisión en tu espacio de trabajo.',
    documents: 'Recibes un correo cuando se traducen documentos que enviaste.',
    submit: 'Desactivar estos correos',
    done: 'Estos correos están desactivados',
    again: 'Puedes activarlos de nuevo en la aplicación, en «Notificaciones».',
  },
  pt: {
    title: 'Desativar e-mails',
    digest: 'Você recebe um e-mail em cada dia em que há itens aguardando revisão no seu espaço de trabalho.',
    documents: 'Você recebe um e-mail quando documentos que você enviou são traduzidos.',
    submit: 'Desativar estes e-mails',
    done: 'Estes e-mails estão desativados',
    again: 'Você pode ativá-los de novo no aplicativo, em “Notificações”.',
  },
  ar: {
    title: 'إيقاف الرسائل',
    digest: 'تصلك رسالة في كل يوم توجد فيه عناصر بانتظار المراجعة في مساحة عملك.',
    documents: 'تصلك رسالة عند ترجمة المستندات التي أرسلتها.',
    submit: 'إيقاف هذه الرسائل',
    done: 'تم إيقاف هذه الرسائل',
    again: 'يمكنك تشغيلها مجددًا في التطبيق، ضمن «الإشعارات».',
  },
  ja: {
    title: 'メールの停止',
    digest: 'ワークスペースにレビュー待ちの項目がある日に、メールをお送りしています。',
    documents: '送信した文書の翻訳が完了したときに、メールをお送りしています。',
    submit: 'このメールを停止',
    done: 'このメールを停止しました',
    again: 'アプリケーションの「通知」で、いつでも再開できます。',
  },
};

/** The texts of the page at which a member confirms an email address. `{email}` and `{workspace}` are replaced. */
interface ConfirmationWords {
  title: string;
  ask: string;
  otherwise: string;
  submit: string;
  done: string;
  doneWhy: string;
}

export const confirmationWords: Record<Locale, ConfirmationWords> = {
  en: {
    title: 'Confirm your email address',
    ask: 'The workspace {workspace} has a member with the address {email}.',
    otherwise: 'If you did not create this account, close this page. Nothing happens.',
    submit: 'Confirm address',
    done: 'Your email address is confirmed',
    doneWhy: 'You now get the emails of the workspace {workspace} at {email}.',
  },
  fr: {
    title: 'Confirmez votre adresse e-mail',
    ask: 'L’espace de travail {workspace} a un membre avec l’adresse {email}.',
    otherwise: 'Si vous n’avez pas créé ce compte, fermez cette page. Rien ne se passe.',
    submit: 'Confirmer l’adresse',
    done: 'Votre adresse e-mail est confirmée',
    doneWhy: 'Vous recevez désormais les e-mails de l’espace de travail {workspace} à {email}.',
  },
  de: {
    title: 'Bestätigen Sie Ihre E-Mail-Adresse',
    ask: 'Der Arbeitsbereich {workspace} hat ein Mitglied mit der Adresse {email}.',
    otherwise: 'Wenn Sie dieses Konto nicht angelegt haben, schließen Sie diese Seite. Es geschieht nichts.',
    submit: 'Adresse bestätigen',
    done: 'Ihre E-Mail-Adresse ist bestätigt',
    doneWhy: 'Sie erhalten nun die E-Mails des Arbeitsbereichs {workspace} an {email}.',
  },
  es: {
    title: 'Confirma tu dirección de correo',
    ask: 'El espacio de trabajo {workspace} tiene un miembro con la dirección {email}.',
    otherwise: 'Si no creaste esta cuenta, cierra esta página. No pasa nada.',
    submit: 'Confirmar dirección',
    done: 'Tu dirección de correo está confirmada',
    doneWhy: 'Ahora recibes los correos del espacio de trabajo {workspace} en {email}.',
  },
  pt: {
    title: 'Confirme seu endereço de e-mail',
    ask: 'O espaço de trabalho {workspace} tem um membro com o endereço {email}.',
    otherwise: 'Se você não criou esta conta, feche esta página. Nada acontece.',
    submit: 'Confirmar endereço',
    done: 'Seu endereço de e-mail está confirmado',
    doneWhy: 'Agora você recebe os e-mails do espaço de trabalho {workspace} em {email}.',
  },
  ar: {
    title: 'أكّد عنوان بريدك الإلكتروني',
    ask: 'في مساحة العمل {workspace} عضو بالعنوان {email}.',
    otherwise: 'إذا لم تُنشئ هذا الحساب، فأغلق هذه الصفحة. لن يحدث شيء.',
    submit: 'تأكيد العنوان',
    done: 'تم تأكيد عنوان بريدك الإلكتروني',
    doneWhy: 'ستصلك رسائل مساحة العمل {workspace} على {email}.',
  },
  ja: {
    title: 'メールアドレスの確認',
    ask: 'ワークスペース {workspace} に、アドレス {email} のメンバーがいます。',
    otherwise: 'このアカウントに心当たりがない場合は、このページを閉じてください。何も変更されません。',
    submit: 'アドレスを確認',
    done: 'メールアドレスを確認しました',
    doneWhy: 'ワークスペース {workspace} のメールが {email} に届くようになりました。',
  },
};
