import type { SmallTalk } from '../word-groups.ts'

/** Polish. */
export const polish: SmallTalk = {
  talk:
    'zobowiazan- problem problemik pomysl pomysly sprawa sprawe sugestie watpliwosc dylemat rady jedno ' +
    'nigdzie poczatkujacy poczatkujaca tutaj ale jasna jasne ciekawosci glowe pojecie prosbe pisze pisal- ' +
    'blagam ups jestescie pewna pewny czesc hej heja hejka siema siemka elo witam witaj witajcie halo ' +
    'dobry milego milej dzieki dziekuj- dzk thx thanks wdzieczn- prosze prosi prosil- prosba uprzejm- ' +
    'plis pls plz pliz pytan- pytac pytam pytal- pyta zapyta- spyta- pomoc pomocy pomoz- pomog- pomocne ' +
    'help odpowiedz odpowiedzi odpowiedzcie odpowiedziec odpowiedzial odpiszcie pilne pilnie pilna pilny ' +
    'najszybciej spieszy pozdr pozdro pozdrawia- pzdr serdeczn- powazaniem szanown- buziak- panowie ktos ' +
    'koledzy ludzie sorki sorry przeprasz- wybacz- wyrozumialosc zawracam zawracac klopot powiedz- powie ' +
    'powiecie podpowie podpowiecie podpowiedziec podpowiedzcie mowi mowiac wyjasni- wytlumacz- opisz ' +
    'opiszcie wiedziec wiedzial- wie wiem wiecie wiesz wiedza orientuj- pojecia zrozumie- rozumie- ' +
    'ogarnia- ogarnac zastanawia- ciekawi interesuje szuka- poszuk- znalaz- czekam czeka oczekuj- jestem ' +
    'glupie glupi glupio gubie krotk- prosto prosty prostymi zwiezle skrocie slowami slowach krok kroku ' +
    'krokach szczegolow- szczegolami przyklad- jasno konkret- informacje informacji info dowiedz- ' +
    'wskazowk- rada btw okazji xd haha kurcze kurde ej ok okej super dobra buziaki dziekuje pozdrawiam ' +
    'pozdrawiamy drodzy',
  beside:
    'niech napisze sposob zalezy starczy wystarczy pozno jeszcze moge mogl- mozna mozesz mozecie mozliwe ' +
    'moga potrzebuj- chcial- odpowiada szybko szybki szybkie szybka szybkiej szybciej panstwo panstwa ' +
    'panstwu pan pani pana panu panie problem to jednej poprzednia dotyczace innego maly jakby co tam raz ' +
    'drugi daje tydzien aha ogolnie kontakt przeniesc ja mi mnie moj moje moja my nam nas ty ci cie ' +
    'ciebie wy wam was ten ta te tym tego tej tak takie taka taki takiej takim i a ale oraz bo ze zeby ' +
    'aby jesli w we z na do od o po za przez dla pod przy jest sa bylo byl byla bede bedzie bedziemy byc ' +
    'mam mamy ma masz macie maja sie juz tu tutaj tez bardzo troche wiec teraz dzis dzisiaj wczoraj rano ' +
    'rana dnia godzine godzin jedno jedna jednym dwa trzy razy sto pewnie chyba moze inny cos sam sama ' +
    'chwila chwile chwilke wielki wielkie duzo naprawde koncu ostatnie pierwszy pierwsza nowy nowa ' +
    'zielony zielona sprawie sprawa sprawe temat temacie temu nastepujace nastepujaca nastepujacej ' +
    'kolejne drugie zwracam no wlasnie gdzies jakis jakies kazda kazdy dobrze lepiej najlepiej polsku ' +
    'gory zycze zadac mialabym uzyskac podanie podac pisze post forum wszystkich wszystkim wszyscy ' +
    'wszedzie samodzielnie udalo niestety probowal- zdaniu zdania glowy rzecz dzial czy kto',
  denials: 'nie nic nigdzie nikt zaden zadnej zadnego',
  documents: 'dokumentacj- dokumentow dokumentach dokumentami zrodl- wedlug zgodnie podstawie',
  asks:
    'jak jaki jaka jakie jakich jakiej jakim co czego czemu czym czy kto kogo komu gdzie kiedy dlaczego ' +
    'ile ilu ktory ktora ktore ktorego ktorej ktorym skad dokad',
  leads: 'ze ale hej hejka heja siema siemka elo witam czesc btw',
  ends: 'prosze plis pls plz pliz dzieki dziekuje dzk pozdrawiam pozdr pozdro pzdr xd',
  closings: 'milego pozdrawiam pozdrawiamy pozdrowienia pozdr pozdro pzdr powazaniem szacunkiem buziaki buziaczki',
  requests:
    'pomoz- pomog- powiedz- powie powiecie podpowie podpowiecie podpowiedziec podpowiedzcie wyjasni- ' +
    'wytlumacz- opisz opiszcie szuka- poszuk- znalaz- pomysl pomysly sugestie rady rada wskazowk- ' +
    'informacje informacji info znalez- znajd-',
  names: 'szef wieczor wieczoru dzien zdrowia',
  labels: 'numer- nr zamowieni- klienta faktur- zgloszeni- umow- telefon-',
}
