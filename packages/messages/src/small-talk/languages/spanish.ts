import type { SmallTalk } from '../word-groups.ts'

/** Spanish. */
export const spanish: SmallTalk = {
  talk:
    'hola holi buenas buenos buen buena wenas grax graciass grcs agradec- agradezc- porfavor porfi plz ' +
    'please help sos pregunt- consulta consultar consultarles consultita duda dudas dudita dudilla ayuda ' +
    'ayudar ayudan ayudas ayudarme ayudarnos ayudeis ayude ayuden ayudenme ayudeme ayudame ayudara ' +
    'ayudaria alguien respuesta respuestas respond- contestar contesta contestame contestaran contesten ' +
    'conteste contestan contestado saluditos cordial- atenta atento urgente urge urgentemente rapido ' +
    'rapida rapidito rapidamente disculp- perdon perdona perdonad perdone perdonen perdoname siento sorry ' +
    'decir dime diga digan digame decirme decidme explic- expliqu- saber saberlo sabe saben sabes sabeis ' +
    'sabria sabrian sabrias conocer entiend- entend- comprend- busco buscar buscando buscado busque ' +
    'encontrar encuentr- encontrado encontre indicar indicarme indique indiquen indicame indiqueme aclar- ' +
    'nuevo nueva novato novata principiante primerizo oye oyes oigan oiga bro wey guey che jeje lol xd ' +
    'breve brevemente corto corta cortita sencill- simple facil palabras paso pasos detall- ejemplo ' +
    'ejemplos claro clara idea ideas tonta tonto tonteria estupida boba basica lio liado estimad- ' +
    'apreciad- querid- espero esperando aguardo molest- amable amables amabilidad necesito quisiera ' +
    'queria queriamos gustaria podri- cosita enrolles pronto curiosidad agradable genios genial perfecto ' +
    'bueno ok okey okay ah eh hey ey dale listo entonces feliz plantear- ojala resumid- resumen socorro ' +
    'echarme manito cierto cosa tambien tal probado intentado jaja- holaa- muchisimas ruego rogaria ' +
    'duditas animo enterar entero averiguar averiguando repetir hi hello asap thx thanks bye ps senores ' +
    'problema problemas problemita importante pd chau chao adios parce pana alo pillo torpe paciencia ' +
    'prisa apuro onda quiubo holis grx ty bendiciones inquietud inquietudes consulto consultarle ' +
    'consultarte orientarme orientar echenme echame compa wtf omg explicar explica explica- explicarme ' +
    'explicame explicaran encuentren jaja preguntar',
  beside:
    'yo me mi mis nos nosotros te ti tus usted ustedes vosotros os les le lo la los las el un una unos ' +
    'unas uno es son soy somos estoy toy esta estan estais estar era fue ser sea seria serian he has ha ' +
    'han hemos habeis haber hay tengo tiene tienes tienen tener tengan ten puede puedes pueden puedo ' +
    'podeis pudiera pudieran hacer hacerles hacerle hace hagan a al de del en con por para que qu e y u ' +
    'pero pues ya aqui alli esto eso este ese estas cosas muy mas mucho mucha muchas muchos mil tan tanto ' +
    'tanta algo toda todos todas otra otro ultima ahora ayer manana rato horas dia dias tardes semana ' +
    'desde llevo voy va vez veces ver dos tres entre su sus igual igualmente lado lados verdad se bien ' +
    'mal foro soporte espanol informar posible lineas frase palabra perdido perdida siguiente ando anden ' +
    'andan sigo mirado leido visto correcto nomas re lic reciban recibir recibido respecto par cuestion ' +
    'mayor cuestan acabo llegar paren momento dirijo encuentren quedo espera ante hacia parte leer tema ' +
    'solucion poco poca echar pocas queda tu alguna alguno seguro distintas falta frecuentes aparece ' +
    'logro consigo puedan pueda parece forma manera doy puedas esten recien empiezo tuviera cinco cuatro ' +
    'anos surge empezar vale mano chicos chics',
  denials: 'no nada ningun ninguna nadie ni tampoco',
  documents: 'segun documentacion documentos documento fuente fuentes enlace cita cite citando',
  asks: 'como cuando cuanto cuanta cuantos cuantas quien quienes cual cuales donde adonde si que por',
  leads: 'decirme dime digame diga sabe saben sabes sabeis sabria explicame indicarme',
  ends: 'gracias favor porfa porfis plis pls xfa xfavor saludos jaja',
  closings: 'saludos saludo atentamente atte abrazo abrazos gracias antemano adelantado cordialmente besos slds',
  requests:
    'ayuda ayudar ayudan ayudas ayudarme ayudarnos ayudeis ayude ayuden ayudenme ayudeme ayudame ayudara ' +
    'ayudaria explic- explica explica- explicar explicarme explicame explicaran expliqu- decir dime diga ' +
    'digan digame decirme decidme busco buscar buscando encontrar encuentr- encontrado idea ideas resumen ' +
    'orientarme informacion info quiero',
  names: 'gente chicas companeros senor senora noche noches tarde finde equipo experto',
  labels: 'numero nro pedido cliente factura ticket referencia contrato expediente telefono tel',
}
