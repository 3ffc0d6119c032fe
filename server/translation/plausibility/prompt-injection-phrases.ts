/**
 * Verbs of instructions and the objects of these verbs, by language. Both are sources of regular expressions without
 * nested repetition; they are matched against text in lower case. Each verb begins with two literal characters.
 */
export const orders: readonly { verbs: string; objects: string }[] = [
  {
    // English
    verbs:
      "ignore|ignoring|disregard|forget|override|bypass|overwrite|stop following|do not follow|don't follow",
    objects:
      '(?:previous|prior|earlier|above|preceding|all|your|these|those|any|other|foregoing) (?:\\w+ )?(?:instruction|prompt|directive|guideline|message|order|command|rule|task|context)|system prompt|everything above|everything before|all of the above|what you were told|been told',
  },
  {
    verbs: 'reveal|print|repeat|show|output|leak|disclose|tell me|quote|reproduce|display',
    objects:
      '(?:your|the|its) (?:\\w+ )?(?:system prompt|prompt|instructions|initial message|system message|hidden rules)',
  },
  {
    verbs:
      'respond|reply|answer|output|say|write|print|return|translate this as|translate it as|translate everything as',
    objects:
      '(?:only|just|nothing but|solely|exactly|simply) (?:with|the word|the text|the phrase|the following|with the|this)|with only|with nothing but|with exactly|only the word|in english instead|nothing else',
  },
  {
    verbs:
      "do not translate|don't translate|never translate|stop translating|instead of translating|rather than translating|leave untranslated|refuse to translate|without translating",
    objects: '.',
  },
  {
    verbs: 'score|rate|grade|assign|give|award|mark|evaluate',
    objects:
      '(?:translation|answer|candidate|text|output|draft|it|quality) (?:\\w+ ){0,3}(?:100|10/10|perfect|full marks|maximum|highest|top score|as perfect)|(?:score|rating|grade) (?:of|is|=|:|to|must be|should be) ?(?:100|10/10|95|perfect)|100 (?:points|out of)|no issues',
  },
  {
    // German
    verbs: 'ignorier|missacht|vergiss|vergessen sie|beachte nicht|überschreib',
    objects:
      'anweisung|instruktion|systemprompt|system-prompt|prompt|vorgaben|befehl|vorherige|bisherige|alles bisher',
  },
  {
    verbs: 'antworte|antworten sie|gib|geben sie|schreibe|übersetze|bewerte',
    objects:
      '(?:nur|ausschließlich|lediglich) (?:mit|das wort|den text|aus)|nicht, sondern|mit 100|100 punkte|volle punktzahl',
  },
  {
    // French
    verbs: 'ignore|oublie|ne tiens pas compte|ne tenez pas compte|néglige|contourne|désobéis',
    objects: 'instruction|consigne|invite système|prompt|directives|ordres précédents|tout ce qui précède',
  },
  {
    verbs: 'réponds|répondez|écris|écrivez|affiche|traduis|note|attribue|évalue',
    objects:
      "(?:uniquement|seulement|simplement|exclusivement) (?:par|avec|le mot|en)|100 points|la note (?:de )?100|rien d'autre|100/100",
  },
  {
    // Spanish, Portuguese, Italian, Romanian
    verbs:
      'ignora |ignore |ignorar |ignoren |ignorad |ignoră |ignorați |olvid|haz caso omiso|no sigas|desconsider|esqueç|esquec|dimentic|trascura|uita',
    objects:
      'instruc|instruç|indicaciones|órdenes|prompt|istruzion|indicazioni|direttive|instrucțiun|comenzi|mensagem do sistema|regras anteriores|reglas anteriores',
  },
  {
    verbs:
      'responde|responda|contesta|escribe|escriba|escreva|devuelve|rispondi|scrivi|răspunde|scrie|puntúa|califica|valuta|avalie',
    objects:
      '(?:solo|sólo|solamente|únicamente|apenas|somente|soltanto|solamente|unicamente|doar|numai) (?:con|la palabra|com|a palavra|la parola|cu|cuvântul|en|em|in)|100 puntos|100 pontos|100 punti|100 puncte|puntuación (?:de )?100',
  },
  {
    // Dutch, Swedish, Danish, Norwegian
    verbs: 'negeer |vergeet |ignorera|ignorér|ignorer|glöm|glem|strunta|se bort fra|bortse',
    objects: 'instruct|aanwijzing|opdracht|prompt|instruktion|instruks|anvisning|tidigare|tidligere|eerdere',
  },
  {
    verbs: 'antwoord|svara|svar|schrijf|skriv',
    objects: '(?:alleen|enkel|uitsluitend|endast|bara|kun|bare) (?:met|med|het woord|ordet|på|in)',
  },
  {
    // Polish, Czech
    verbs: 'zignoruj|ignoruj|zapomnij|pomiń|ignorujte|zapomeň|zapomeňte|nevšímej',
    objects: 'instrukc|polece|prompt|wytyczn|pokyn|příkaz|předchozí|poprzedni',
  },
  {
    verbs: 'odpowiedz|napisz|odpověz|odpovězte|napiš',
    objects: '(?:tylko|wyłącznie|jedynie|pouze|jen) (?:słow|slov|po |jed|„|")',
  },
  {
    // Russian, Ukrainian
    verbs: 'игнориру|проигнорируй|забудь|не обращай|отмени|ігнору|проігнору|не зважай',
    objects: 'инструкц|указани|команд|промпт|системн|правил|предыдущ|інструкц|вказівк|попередн',
  },
  {
    verbs: 'ответь|отвечай|напиши|выведи|переведи|оцени|поставь|відповідай|напиши|оціни|виведи',
    objects:
      '(?:только|лишь|исключительно|просто|лише|тільки|виключно) (?:слов|одн|на |«|")|(?:на|в|у) 100|100 балл|100 бал',
  },
  {
    // Turkish, Finnish, Hungarian
    verbs:
      'yok say|görmezden gel|dikkate alma|unut|jätä huomiotta|unohda|ohita|hagyd figyelmen|felejtsd|ne vedd figyelembe|mellőzd',
    objects: 'talimat|yönerge|komut|istem|ohjee|ohjeet|käsky|kehote|utasítás|promptot|előző|aiempi|önceki',
  },
  {
    verbs: 'yanıtla|cevap ver|yaz|vastaa|kirjoita|válaszolj|írd',
    objects: '(?:sadece|yalnızca|vain|ainoastaan|csak|kizárólag) [\\p{L}"\'„]',
  },
  {
    // Vietnamese, Indonesian, Malay
    verbs: 'bỏ qua|phớt lờ|quên|abaikan|lupakan|jangan ikuti|jangan hiraukan',
    objects: 'hướng dẫn|chỉ thị|lệnh|lời nhắc|instruksi|perintah|arahan|prompt',
  },
  {
    verbs: 'trả lời|viết|jawab|balas|tulis',
    objects: '(?:chỉ|duy nhất|hanya|sahaja|saja) (?:bằng|từ|dengan|kata|perkataan)|chỉ trả lời',
  },
  {
    // Greek
    verbs: 'αγνόησε|αγνοήστε|ξέχασε|ξεχάστε|παράβλεψε',
    objects: 'οδηγίες|εντολές|προτροπή|prompt|προηγούμεν',
  },
  {
    // Arabic, Persian, Urdu
    verbs: 'تجاهل|انس|انسَ|اهمل|نادیده بگیر|فراموش کن|نظرانداز',
    objects: 'التعليمات|تعليمات|الأوامر|دستورالعمل|دستور|ہدایات|احکامات',
  },
  { verbs: 'أجب|اكتب|رد|پاسخ|بنویس|جواب|لکھ', objects: 'فقط|صرف|بكلمة واحدة' },
  {
    // Hindi, Marathi, Nepali
    verbs: 'अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जा|उपेक्षा|दुर्लक्ष|विसरा|विसर|बेवास्ता|बिर्स',
    objects: 'निर्देश|आदेश|सूचना|हिदायत|प्रॉम्प्ट',
  },
  {
    // Thai
    verbs: 'เพิกเฉย|ละเว้น|ไม่ต้องสนใจ|ลืม|ละเลย|อย่าทำตาม',
    objects: 'คำสั่ง|คำแนะนำ|พรอมต์',
  },
  {
    // Japanese, Chinese, Korean
    verbs: '無視|忘れて|従わない|従うな|忽略|无视|無視|忘记|忘記|不要理会|不要理會|무시|잊어|따르지',
    objects: '指示|命令|プロンプト|ルール|指令|提示|说明|說明|规则|規則|之前|지시|명령|프롬프트|지침',
  },
  {
    verbs: '答えて|返答して|出力して|回答して|回答|输出|輸出|回复|回覆|답하|대답|출력',
    objects:
      'とだけ|だけを|のみを|のみで|只(?:回|输|輸|需|用)|仅(?:回|输|用)|僅(?:回|輸|用)|만 답|만 출력|라고만|만으로',
  },
];

/** Phrases that are suspicious by themselves, without an object. Each begins with two literal characters. */
export const plainOrders: readonly string[] = [
  'system prompt',
  'system-prompt',
  'developer mode',
  'jailbreak',
  'prompt injection',
  'do anything now',
  'you are (?:now|no longer) (?:a|an|in|the|dan|my|bound|acting|free|translat|playing|under)',
  "you(?:'re| are) an? (?:ai|llm)(?![a-z])",
  'pretend (?:to be|that you|you)',
  'act as (?:a|an|if|my) (?:\\w{1,20} ){0,3}(?:assistant|model|ai|bot|character|pirate|hacker|expert|judge)',
  'from now on,? (?:you|respond|answer|reply|translate)',
  'new instructions?:',
  'updated instructions?:',
  'important instructions? (?:for|to) (?:the )?(?:ai|model|translator|judge|llm|assistant)',
  'notes? (?:to|for) (?:the )?(?:ai|model|translat(?:or|ion) model|judge|evaluator|llm|language model|assistant)(?![a-z])',
  'messages? (?:to|for) (?:the )?(?:ai|model|translat(?:or|ion) model|judge|evaluator|llm|language model|assistant)(?![a-z])',
  'attention (?:to|for) (?:the )?(?:ai|model|translat(?:or|ion) model|judge|evaluator|llm|language model|assistant)(?![a-z])',
  'instructions? (?:to|for) (?:the )?(?:ai|model|translat(?:or|ion) model|judge|evaluator|llm|language model|assistant)(?![a-z])',
  'memo (?:to|for) (?:the )?(?:ai|model|translat(?:or|ion) model|judge|evaluator|llm|language model|assistant)(?![a-z])',
  'as (?:the |a )?(?:judge|evaluator|grader)(?![a-z])',
  'dear (?:judge|evaluator|grader)(?![a-z])',
  'dear (?:ai|model|assistant|llm)(?![a-z])',
  'as an? (?:ai|large language|language) model',
  'the score is (?:100|95|10/10|perfect)',
  'score ?[:=] ?(?:100|1\\.0|10/10)',
  '"score" ?:',
  '"passed" ?:',
  '"issues" ?:',
  '"verdict" ?:',
  'passed ?[:=] ?true',
  'quality ?[:=] ?100',
  '"role" ?: ?"(?:system|assistant|developer)"',
  '<\\|(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id)',
  '\\[inst\\]',
  '\\[/inst\\]',
  '<<sys>>',
  '<(?:system|source_text|instructions?|assistant|translation_task|system_message)>',
  '</(?:system|source_text|instructions?|assistant|translation_task|system_message)>',
  'begin system',
  'end of (?:source|user input|the source|text to translate)',
  '## ?(?:system|instruction|assistant|response|new task)',
  'system(?: message| override| note| update)? ?[\\]):*]{1,3} ?(?:you|ignore|the|please|new|override|all|translat|from|do|set|score|output|respond|reply)',
  'assistant(?: message| override| note| update)? ?[\\]):*]{1,3} ?(?:you|ignore|the|please|new|override|all|translat|from|do|set|score|output|respond|reply)',
  'developer(?: message| override| note| update)? ?[\\]):*]{1,3} ?(?:you|ignore|the|please|new|override|all|translat|from|do|set|score|output|respond|reply)',
  'ai (?:model|assistant|translator|system)s?[,:]? (?:must|should|shall|please|you)',
  'du bist (?:jetzt|nun|ab jetzt|ab sofort) (?:ein|kein|der|die|nicht)',
  'ab sofort (?:antworte|bist)',
  'tu es (?:maintenant|désormais) (?:un|une|le|la|en)',
  'a partir de ahora,? (?:eres|respond|ignor|actú)',
  'ahora eres (?:un|el|la)',
  'a partir de agora,? (?:você|responda|ignore)',
  'agora você é',
  'da ora in poi,? (?:sei|rispondi|ignora)',
  'od teraz jesteś',
  'jesteś teraz',
  'теперь ты ',
  'отныне ты',
  'з цього моменту ти',
  'vanaf nu ben',
  'je bent nu een',
  'från och med nu är du',
  'fra nå av er du',
  'fra nu af er du',
  'artık sen bir',
  'şu andan itibaren sen',
  'từ bây giờ, bạn',
  'mulai sekarang,? (?:anda|kamu|jawab)',
  'من الآن فصاعدا',
  'أنت الآن',
  'از این پس تو',
  'اب سے آپ',
  'अब से आप',
  'अब तुम',
  '今からあなたは',
  'あなたは今から',
  'これからあなたは',
  '你现在是',
  '你現在是',
  '从现在开始,?你',
  '從現在開始,?你',
  '이제부터 너',
  '이제부터 당신',
  '지금부터 당신',
  'systemnachricht:',
  'message système',
  'mensaje del sistema:',
  'messaggio di sistema:',
  'mensagem do sistema:',
  'системное сообщение:',
  'системн(?:ий|ый) промпт',
  '系统提示(?:词|:|：)',
  '系統提示(?:詞|:|：)',
  'システムプロンプト',
  'システムメッセージ[:：]',
  '시스템 프롬프트',
  '시스템 메시지:',
];
