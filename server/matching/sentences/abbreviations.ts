/**
 * Words before a full stop inside a sentence, by language. Sources: the segmentation suppressions of CLDR 48
 * (Unicode License v3), without entries that are also common words, and our own lists. An entry in lower case also
 * applies to words with a capital.
 */
interface AbbreviationLists {
  /** A sentence never ends after these: titles, and words that need a continuation. */
  never?: string;
  /** A sentence does not end after these before a number: "No. 5", "Sept. 2". */
  number?: string;
  /** A sentence ends after these only before one of the starters: "Inc.", "p.m.". */
  maybe?: string;
  /** These have several full stops or one letter, but a sentence can end after them: "u.s.w.". */
  end?: string;
  /** Common first words of sentences. After an initial or an acronym, only they begin a sentence. */
  starters?: string;
}

const english: AbbreviationLists = {
  never:
    'Mr Mrs Ms Mx Dr Drs Prof Rev Revd Hon Gov Sen Rep Reps Gen Col Maj Capt Cmdr Lt Sgt Cpl Pvt Adm Brig Supt Insp Msgr Fr Messrs Mmes St Ste Mt Ft Pres vs e.g i.e eg ie cf viz approx esp incl resp ca seq op.cit al.et Lt.Cdr Lt.Col Maj.Gen Ph',
  number:
    'no nos n° p pp fig figs eq eqs sec secs ch chap vol vols art arts par para ed eds pt pts ref refs tab app tel ext rm ver v Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun Rs',
  maybe:
    'Inc Ltd Corp Co Cos LLC Bros Jr Sr Esq Ph.D M.D B.A M.A dept univ assn ave blvd Rd Sq Hwy Bldg Ave Blvd min max avg est U.S U.K U.N E.U U.S.A D.C B.C A.D',
  end: 'a.m p.m',
  starters:
    'the this that these those there here it its he his she her they their we our you your i my me who what when where why how which whose if in on at as an and but or so then thus however for from by with after before once since while because although though also all any some no not each every both many most more one two did do does is are was were will would can could should has have had let please see use click note to of under over another such only even still yet first second finally maybe perhaps now today yesterday tomorrow',
};

const scandinavian =
  'ca evt f.eks jf jfr kap kl maks min nr pga resp tlf vedr bl.a dvs f.o.m t.o.m m.a.o ev m.m.h';
const scandinavianMonths = 'jan feb febr mar apr jun jul aug sep sept okt nov dec des';

const lists: Record<string, AbbreviationLists> = {
  en: english,
  de: {
    never:
      'Hr Hrn Fr Frl Dr Prof Dipl Ing Mag Gebr Fam Fa Hl hl St Sr Sta bzw ca evtl ggf ggfs inkl exkl einschl zzgl abzgl vgl sog bspw insb insbes bes etw max mind min versch ehem geb gest verh eigtl urspr allg jew näml zz zzt od resp lt gem betr bzgl entspr z.B z.T z.Z z.Zt z.Hd d.h i.d.R i.e.S i.w.S i.S i.d.F i.Br i.A i.V u.U u.E m.E m.W o.g s.o s.u s.a v.a a.a.O sc österr schweiz dt engl frz röm kath evang Dipl.-Ing Dipl.-Kfm Reg.-Bez',
    number:
      'Nr Nrn S Abs Art Abb Bd Bde Kap Ziff Tab Tel Fn Rn Rz Rdnr Lit Anm Az Aufl Jg Jan Jän Feb Febr Apr Aug Sept Sep Okt Nov Dez Mo Di Mi Do Sa So ab Str Std Uhr §',
    maybe: 'Inc Ltd Co Corp Jr Mio Mrd Tsd Str v.Chr n.Chr e.V U.S U.S.A a.D a.M',
    end: 'usw etc u.a u.ä u.v.a u.v.m o.ä u.s.w o.Ä u.Ä a.a',
    starters:
      'der die das den dem des ein eine einer einem einen er sie es ich wir ihr du man dies diese dieser dieses diesem diesen jener dort da hier dann nun jetzt heute gestern morgen später danach damals dabei dafür damit darauf daher deshalb trotzdem außerdem allerdings jedoch aber und oder doch denn wenn als weil obwohl nachdem bevor während seit seitdem bis in im an am auf aus bei beim mit nach von vom zu zum zur für über unter vor durch gegen ohne um wie was wer wo wann warum welche auch nur noch schon so alle viele einige kein keine nicht mein sein seine seiner ihre unser bitte klicken sobald falls ob zudem ferner insgesamt zunächst schließlich',
  },
  fr: {
    never:
      'M MM Mme Mmes Mlle Mlles Me Mgr Dr Pr Prof St Ste Vve cf c.-à-d ex p.ex env av apr boul bd auj vs max min resp not hab éq',
    number:
      'n° no n p pp fig vol t chap art al éd tél réf ch tab v col coll janv févr mars avr juill juil août sept oct nov déc',
    maybe: 'Inc Ltd Cie S.A S.A.R.L Jr J.-C av.J.-C ap.J.-C U.S',
    end: 'etc',
    starters:
      'le la les l un une des du de ce cet cette ces il elle ils elles on nous vous je tu j c s d qu n mais et ou où or donc car si quand lorsque comme pour par dans en sur sous avec sans après avant depuis pendant selon chez à au aux son sa ses leur leurs mon notre votre qui que quoi quel quelle pourquoi comment tout toute tous toutes plusieurs chaque aucun cela ceci ainsi alors puis ensuite enfin aussi cependant toutefois pourtant',
  },
  es: {
    never:
      'Sr Sra Sres Sras Srta Srtas D Da Dn Dña Dª Dr Dra Drs Prof Profa Lic Licda Ing Arq Mons Excmo Excma Ilmo Ilma Rvdo Sto Sta Fr Gral Cnel Cap Tte Av Avda EE Ud Uds Vd Vds Dpto dpto p.ej ej v.gr cf cfr vs aprox máx mín ntra ntro Vda Mt',
    number:
      'n° nº núm núms p pp pág págs fig figs vol art arts cap ed tel tfno ext t párr párrf apdo ene feb mar abr may jun jul ago sept sep oct nov dic',
    maybe: 'Inc Ltd Ltda Cía Corp S.A S.L Jr EE.UU EE.\u00a0UU U.S a.C d.C a.m p.m',
    end: 'etc',
    starters:
      'el la los las lo un una unos unas este esta estos estas ese esa eso esto él ella ellos ellas yo tú usted ustedes nosotros su sus mi se me le no sí y o pero porque si cuando como donde en de del al a por para con sin sobre entre tras desde hasta según durante después antes luego entonces así también además que qué quién cuál cuándo dónde cómo todo todos toda todas cada muchos hay es son fue era había más aunque mientras',
  },
  it: {
    never:
      'Sig Sigg Sig.ra Dott Dr Prof Avv Ing Arch Geom Rag On Mons S.E Egr Gent Spett ca cfr p.es es vs cd c.d d.p.r N.d.A N.d.T N.d.E',
    number:
      'n nn n° pag pagg p pp fig figg vol art artt cap tab tav sez tel lett gen feb mar apr mag giu lug ago set sett ott nov dic',
    maybe: 'Inc Ltd Co S.p.A S.r.l a.C d.C U.S',
    end: 'ecc etc',
    starters:
      'il lo la i gli le l un uno una questo questa questi queste quello quella egli lui lei loro noi voi io tu si è sono ma e o se quando come dove perché in nel nella nei di del della da dal dalla a al alla ai con per su sul tra fra dopo prima durante secondo poi quindi così anche inoltre non che chi cosa ogni tutti tutte molti il suo sua sue suoi',
  },
  pt: {
    never:
      'Sr Sra Srs Sras Srta Dr Dra Drs Dras Prof Profa Eng Exmo Exma Ilmo Ilma Pe Sto Sta D Cel Gen Cap Ten Av R V.Exa Sª p.ex ex cf vs aprox máx mín N.Sra Dir',
    number:
      'n° nº nº. núm p pp pág págs fig vol art arts cap ed tel séc jan fev mar abr mai jun jul ago set out nov dez',
    maybe: 'Inc Ltd Ltda Cia S.A a.C d.C a.m p.m Jr',
    end: 'etc',
    starters:
      'o a os as um uma uns umas este esta estes estas esse essa isso isto ele ela eles elas eu nós você vocês tu seu sua seus suas se não sim e ou mas porque quando como onde em no na nos nas de do da dos das ao à por pelo pela para com sem sobre entre após desde até segundo durante depois antes então assim também além que quem qual todo todos toda todas cada muitos há é são foi era mais embora enquanto',
  },
  nl: {
    never:
      'dhr mw mevr dr drs prof ir ing mr ds jhr mgr St bijv bv bijvb ca evt incl excl resp nl o.a i.p.v d.w.z d.m.v m.b.t m.a.w i.v.m t.o.v t.a.v i.h.b z.g zgn vgl vs max min n.a.v o.l.v t.w wo',
    number:
      'nr nrs p pp blz pag fig art afb hfst vol tel tab jan feb mrt apr jun jul aug sep sept okt nov dec',
    maybe: 'Inc Ltd Co B.V N.V Jr Sr v.Chr n.Chr a.m p.m',
    end: 'enz etc e.d e.a',
    starters:
      'de het een dit dat deze die er hij zij ze wij we ik jij je u men hun haar zijn maar en of want als wanneer toen omdat hoewel terwijl nadat voordat sinds in op aan bij met van voor door over onder na naar om te tot uit zonder tegen dan daar hier nu vandaag gisteren later daarna daarom dus ook alle veel geen niet wat wie waar hoe waarom welke',
  },
  sv: {
    never: `${scandinavian} t.ex d.v.s fr.o.m m.fl.s s.k t.v p.g.a inkl exkl st hr fr dr prof bl.a jfr ung motsv obs ang`,
    number: `nr s sid fig art kap vol tel tab ${scandinavianMonths} jan mars maj`,
    maybe: 'Inc Ltd Co f.Kr e.Kr jr',
    end: 'osv o.s.v m.m m.fl etc',
    starters:
      'den det de en ett han hon vi ni du jag man detta denna dessa där här då nu sedan men och eller om när som eftersom efter innan under i på av för från med till vid utan även också alla många inte vad vem var hur varför vilken hans hennes deras',
  },
  da: {
    never: `${scandinavian} hr fr frk dr prof ing skt stk inkl ekskl bl.a f.eks d.v.s ift iht mht vha pr pkt red sml ø.lign evt gl tidl ang`,
    number: `nr s side fig art kap bd tlf tab § d ${scandinavianMonths} maj`,
    maybe: 'Inc Ltd Co A/S f.Kr e.Kr jr sr',
    end: 'osv m.m m.v m.fl o.l etc',
    starters:
      'den det de en et han hun vi i du jeg man dette denne disse der her da nu så men og eller hvis når som fordi efter før under på af for fra med til ved uden også alle mange ikke hvad hvem hvor hvordan hvorfor hvilken hans hendes deres er var har kan skal vil',
  },
  nb: {
    never: `${scandinavian} hr fr dr prof siv ing st inkl ekskl d.v.s f.eks bl.a pkt vha mht iht ang ca adm`,
    number: `nr s side fig art kap bd tlf tab § ${scandinavianMonths} mai`,
    maybe: 'Inc Ltd Co f.Kr e.Kr jr sr',
    end: 'osv m.m mv m.v m.fl o.l etc',
    starters:
      'den det de en et ei han hun vi dere du jeg man dette denne disse der her da nå så men og eller hvis når som fordi etter før under i på av for fra med til ved uten også alle mange ikke hva hvem hvor hvordan hvorfor hvilken hans hennes deres er var har kan skal vil',
  },
  fi: {
    never: 'esim ns ts tri prof hra rva nti mm ml n vrt huom ks klo k.o t.s nk ent myöh toim suom engl lat',
    number:
      's nro n:o kpl kuva art luku puh tam helmi maalis huhti touko kesä heinä elo syys loka marras joulu',
    maybe: 'eKr jKr e.Kr j.Kr Oy Inc Ltd',
    end: 'jne ym yms tms jms',
    starters:
      'se ne hän he me te minä sinä tämä nämä tuo nuo siellä siinä täällä tässä kun jos mutta ja tai vaikka koska että myös sitten nyt tänään eilen kuitenkin lisäksi kaikki monet ei mikä kuka missä miten miksi hänen niiden sen',
  },
  pl: {
    never:
      'p pan prof dr hab inż mgr lek ks św bp abp gen płk mjr kpt por ppor sierż al ul pl os im ob red tzw tzn tj np ok m.in m.st św.p ww w.w j.w jw ds dn zob wg godz pt ps Sz.P b śp ang niem fr łac ros wł zm ur urodz woj pow gm kol',
    number:
      'nr art ust pkt poz s str rys tab t tom rozdz par zał tel r lit godz sygn § stycz lut mar kwiet maj czerw lip sierp wrz paźdz list grudz',
    maybe: 'Inc Ltd sp.z.o.o S.A p.n.e n.e r w tys mln mld proc zł gr wyd',
    end: 'itd itp i.in in etc',
    starters:
      'to ten ta te ci tego tej tym on ona ono oni one ja ty my wy w we na z ze do od po przed przez pod nad o u przy za bez dla między ale i oraz lub albo bo gdy kiedy jeśli jeżeli ponieważ choć chociaż że jak jako gdzie co kto dlaczego który czy nie tak także również też potem następnie dziś teraz jednak jego jej ich wszystkie wszyscy każdy wiele był była było były jest są został po',
  },
  cs: {
    never:
      'p pí sl prof doc dr Dr ing Ing mgr Mgr MUDr JUDr PhDr RNDr Bc bc sv tzv tj např mj cca resp popř příp vč ul nám č.j tzn zejm max min ev srov angl něm lat fr o.s.ř',
    number:
      'č čís s str obr tab odst písm art kap sv bod tel § roč led úno bře dub kvě čer čvc srp zář říj lis pro',
    maybe: 's.r.o a.s spol Inc Ltd př.n.l n.l hod tis mil mld Kč',
    end: 'atd apod aj atp',
    starters:
      'to ten ta ti ty tento tato toto on ona ono oni já my vy v ve na z ze do od po před přes pod nad o u při za bez pro mezi ale a nebo protože když pokud jestliže ačkoli že jak jako kde co kdo proč který ne také pak potom dnes nyní však jeho její jejich všechny všichni každý mnoho byl byla bylo byli je jsou',
  },
  hu: {
    never: 'dr Dr prof özv ifj id St Szt ún pl kb ill vö vmint tkp max min ford szerk u.n',
    number: 'sz o old ábra tel kv cikk bek § jan febr márc ápr máj jún júl aug szept okt nov dec',
    maybe: 'Inc Ltd Kft Zrt Rt Bt i.e i.sz Kr.e Kr.u',
    end: 'stb',
    starters:
      'a az ez ezek azok egy ő ők én te mi ti de és vagy ha amikor mert hogy mivel bár itt ott most ma tegnap akkor azonban továbbá minden sok nem mit ki hol hogyan miért melyik is így',
  },
  ro: {
    never:
      'dl dna d-l d-na dr Dr prof ing av conf lect sf Sf gen col cpt str Str bd Bd bl sc ap jud loc cca d.ex de.ex ex v cf vs',
    number: 'nr art alin lit pag p pp fig cap vol tel tab ian feb mar apr mai iun iul aug sept oct nov dec',
    maybe: 'Inc Ltd S.A S.R.L î.Hr d.Hr î.e.n e.n',
    end: 'etc ș.a ș.a.m.d ş.a ş.a.m.d',
    starters:
      'el ea ei ele eu tu noi voi acest această acesta aceasta acești aceste acela un o în la de din pe cu pentru prin după înainte până sub peste între dar și sau iar dacă când cum unde că deși pentru astfel apoi atunci acum azi ieri însă toate toți fiecare mulți nu ce cine de care este sunt a au',
  },
  ru: {
    never:
      'ул пр просп пл пер наб бул корп им проф акад доц канд тов гр св т.е т.к т.н т.о см ср напр англ нем фр лат греч яп исп итал род ок прим ред изд обл р-н пос дер оз о-в гос мин макс и.о к.п в.д д-р',
    number:
      '№ стр рис табл гл п пп ст ч т тт тел кв д с разд вып § янв февр мар апр июн июл авг сент окт нояб дек',
    maybe: 'г гг в вв н.э до.н.э руб коп тыс млн млрд трлн кг км м куб.м кв.м чел шт экз час сек Inc Ltd',
    end: 'т.д т.п др пр и.др',
    starters:
      'он она оно они я ты мы вы это этот эта эти тот та те его её ее их в во на с со из к ко от до по за под над о об при для без между через после перед у но и а или если когда как так потому поэтому что кто где почему какой не ни нет да также затем потом тогда теперь сейчас сегодня вчера однако все всё каждый многие был была было были есть там здесь тут для чтобы хотя пока',
  },
  uk: {
    never:
      'вул просп пл пров бул ім проф акад доц канд св тов гр т.зв т.з т.е див пор напр англ нім фр лат рос нар бл прим ред обл р-н с.м.т',
    number:
      '№ стор с рис табл гл п пп ст ч т тел кв § січ лют берез квіт трав черв лип серп верес жовт листоп груд',
    maybe: 'р рр ст н.е до.н.е грн коп тис млн млрд кг км м шт екз год хв Inc Ltd м',
    end: 'т.д т.п ін та.ін і.т.д',
    starters:
      'він вона воно вони я ти ми ви це цей ця ці той та ті його її їх у в на з із зі до від по за під над о об при для без між через після перед але і й а або якщо коли як так тому що хто де чому який не ні також потім тоді тепер зараз сьогодні вчора однак проте усі всі все кожен багато був була було були є там тут щоб хоча поки',
  },
  el: {
    never: 'κ κα κος κ.κ δρ Δρ καθ βλ πχ π.χ δηλ λ.χ ό.π πρβλ συν μτφρ εκδ Αγ Στ',
    number:
      'αρ αριθ σ σσ σελ εικ κεφ τόμ άρθρ παρ τηλ πίν ν Ιαν Φεβ Φεβρ Μαρ Απρ Μαΐ Ιουν Ιουλ Αυγ Σεπ Σεπτ Οκτ Νοε Νοεμ Δεκ',
    maybe: 'π.Χ μ.Χ π.μ μ.μ Α.Ε Ε.Ε Η.Π.Α χλμ εκ δρχ',
    end: 'κ.λπ κλπ κ.ά κ.τ.λ κτλ κ.α κ.ο.κ',
    starters:
      'ο η το οι τα του της των τον την ένας μια ένα αυτός αυτή αυτό αυτά εκείνος εκεί εδώ τότε τώρα σήμερα χθες αλλά και ή αν όταν όπως επειδή γιατί αφού πριν μετά σε στο στη στην στον από με για χωρίς κατά μέχρι ενώ όμως επίσης όλα όλοι κάθε πολλοί δεν τι ποιος πού πώς είναι ήταν',
  },
  tr: {
    never: 'Dr Prof Doç Yrd Av Sn Müh Uzm Öğr Gör Hz St bkz örn krş yak Alm Fr İng Mah Cad Sok Bul Apt',
    number: 'no s sf say şek tab mad m bl tel c Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara',
    maybe: 'Ltd Şti A.Ş Inc T.C M.Ö M.S İ.Ö İ.S yy A.B.D',
    end: 'vb vs v.b v.s',
    starters:
      'bu şu o onlar ben sen biz siz bir burada orada şimdi bugün dün sonra önce ancak ama fakat ve veya eğer çünkü ayrıca her tüm bütün birçok ne kim nerede nasıl neden hangi için onun bunun böylece',
  },
  id: {
    never:
      'Sdr Sdri Tn Ny Nn Yth dr Dr Prof Ir Drs Dra H Hj K.H Jl Jln Gg Kec Kab Kel a.n d.a u.p mis lih cf ',
    number:
      'no No hlm hal gbr tab psl ay jil vol tel telp tgl Jan Feb Mar Apr Jun Jul Agu Agt Sep Sept Okt Nov Des Rp',
    maybe: 'Inc Ltd Tbk P.T S.H S.E M.Si Ph.D',
    end: 'dll dsb dst dkk',
    starters:
      'ini itu dia ia mereka kami kita saya anda di ke dari pada dalam untuk dengan oleh tetapi namun dan atau jika bila ketika karena setelah sebelum sejak sementara maka juga semua setiap banyak tidak apa siapa mana bagaimana mengapa hal',
  },
  vi: {
    never: 'TP Tp tp Th ThS TS PGS GS BS Ths KS CN Q P TX Đ vd VD Mr Mrs',
    number: 'tr số T Th đ ngày',
    maybe: 'Inc Ltd',
    end: 'v.v vv',
    starters:
      'đây đó này kia nó họ chúng tôi bạn anh chị ông bà trong trên dưới từ với cho của và nhưng hoặc nếu khi vì sau trước tuy cũng tất mọi nhiều không gì ai đâu các những một theo để',
  },
  ar: { never: 'د أ م ص ج ت هـ أ.د م.د ق.م.د ش س ر ط ف ع د.ت', number: 'رقم ص ج م ف', maybe: 'ق.م ب.م' },
  fa: { never: 'د م ص ج ر.ک ق ه.ش ه.ق ش', number: 'ص ج ش' },
  ur: { never: 'ص ج م ع ھ', number: 'ص ج' },
  hi: {
    never: 'डॉ डा प्रो पं कु सु ले कै मे जन सं रु रू एम एस के पी आर बी जी सी डी टी वी एल एन जे ई.पू',
    number: 'सं क्र पृ अ भा',
  },
  mr: {
    never: 'डॉ प्रा श्री सौ कु कै पं न्या ॲड अ‍ॅड रु इ.स ई.स इ.स.पू के एम एस पी आर बी जी सी डी टी वी एल एन जे',
    number: 'क्र पृ पा भा',
  },
  ne: { never: 'डा डा प्रा पं कु रु वि.सं ई.सं ई.पू के एम एस पी आर बी जी सी डी', number: 'नं पृ भा वि.सं' },
};

// Malay is written with the abbreviations of Indonesian and a few others.
lists['ms'] = { ...lists['id'], never: `${lists['id']?.never} En Pn Cik Dato Datuk`, maybe: 'Sdn Bhd' };

/** The lists of one language, for look-ups. */
export interface Abbreviations {
  /** The rule for each abbreviation, by the word without its last full stop. */
  kinds: ReadonlyMap<string, 'never' | 'number' | 'maybe' | 'end'>;
  starters: ReadonlySet<string>;
}

const compiled = new Map<string, Abbreviations>();

/** Returns the abbreviations of a language by its base code; those of English are also used in other languages. */
export function abbreviationsOf(base: string): Abbreviations {
  const known = compiled.get(base);
  if (known) return known;
  const own = lists[base] ?? {};
  const kinds = new Map<string, 'never' | 'number' | 'maybe' | 'end'>();
  for (const list of [
    { never: 'Mr Mrs Ms Dr Prof St vs', number: 'n° No', maybe: 'Inc Ltd Corp Jr U.S' },
    own,
  ] as AbbreviationLists[])
    for (const kind of ['maybe', 'number', 'never', 'end'] as const)
      for (const word of list[kind]?.split(' ') ?? []) kinds.set(word, kind);
  const result = { kinds, starters: new Set(own.starters?.split(' ')) };
  // Only the bases of supported languages stay: a caller can pass any tag.
  if (lists[base]) compiled.set(base, result);
  return result;
}
