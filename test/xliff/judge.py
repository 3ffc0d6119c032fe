"""Reads and changes XLIFF 2 with the Translate Toolkit, as a CAT tool does. Stdin and stdout are JSON.

The toolkit reads XLIFF 2 itself from 3.17 on. For an older one, which Debian has, its base of LISA formats is told the names.
"""
import json
import sys

from lxml import etree
from translate.storage import lisa

try:
    from translate.storage.xliff2 import Xliff2File as Store
except ImportError:
    core = "urn:oasis:names:tc:xliff:document:2.0"

    class Unit(lisa.LISAunit):
        rootNode = "unit"
        languageNode = "source"
        namespace = core
        _default_xml_space = "default"

        def getlanguageNodes(self):
            segment = self.xmlelement.find(self.namespaced("segment"))
            return [] if segment is None else list(segment)

        def createlanguageNode(self, lang, text, purpose=None):
            node = etree.Element(self.namespaced(purpose))
            node.text = text
            return node

        def set_target_dom(self, node, append=False):
            self.xmlelement.find(self.namespaced("segment")).append(node)

    class Store(lisa.LISAfile):
        UnitClass = Unit
        rootNode = "xliff"
        bodyNode = "file"
        namespace = core
        XMLskeleton = f"<xliff xmlns='{core}' version='2.0' srcLang='en'><file id='f1'/></xliff>"


asked = json.load(sys.stdin)
store = Store()
store.parse(asked["xliff"].encode())
read = [[unit.xmlelement.get("id"), unit.source, unit.target] for unit in store.units]
for unit in store.units:
    target = asked.get("targets", {}).get(unit.xmlelement.get("id"))
    if target is not None:
        unit.target = target
json.dump({"read": read, "written": bytes(store).decode()}, sys.stdout)
