import { MascotApp } from './components/mascot-app.ts';
import { openPort } from './port.ts';
import { pageStyles } from './styles/page.ts';

const sheet = pageStyles.styleSheet;
if (sheet) document.adoptedStyleSheets.push(sheet);
const app = new MascotApp();
app.port = openPort();
document.body.append(app);
