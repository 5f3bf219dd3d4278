# SPDX-License-Identifier: GPL-2.0-only
"""Where code can be changed and to what, from clang's view of the sources."""
import re

from clang.cindex import Config, CursorKind as K, Index, TypeKind

if not Config.loaded:
    Config.set_library_file("libclang-14.so.1")

RELATIONS = ["<", "<=", ">", ">=", "==", "!="]
SWAPS = {"+": "-", "-": "+", "&&": "||", "||": "&&", "&": "|", "|": "&",
         "+=": "-=", "-=": "+=", "&=": "|=", "|=": "&="}
NAMES = {"+": "+ -", "-": "+ -", "&&": "&& ||", "||": "&& ||", "&": "& |", "|": "& |"}
COMMENTS = re.compile(rb"/\*.*?\*/|//[^\n]*|\s+", re.S)
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")
LOOPS = (K.FOR_STMT, K.WHILE_STMT, K.DO_STMT)
LABELS = (K.CASE_STMT, K.DEFAULT_STMT, K.LABEL_STMT)
KEYWORDS = {"break", "case", "continue", "default", "do", "for", "goto", "if", "return", "sizeof",
            "switch", "true", "false",
            "while"}
# Not executed, or only a hint to the compiler.
NOT_CODE = (K.STATIC_ASSERT, K.CXX_UNARY_EXPR, K.TYPEDEF_DECL)
HINTS = {"__builtin_expect", "__builtin_prefetch", "assert"}


class Place:
    """Text of a file, and possible replacements. A mark is where it can be noted that the
    place is reached: an offset, and whether an expression, a statement or a block begins there."""

    def __init__(self, source, operator, start, end, choices):
        self.file, self.operator = source.name, operator
        self.start, self.end, self.choices = start, end, choices
        self.body = self.mark = None
        self.labels = []

    def key(self):
        return self.file, self.start, self.end, self.operator


class Source:
    """A file, and the places in it."""

    def __init__(self, name, path):
        self.name = name
        with open(path, "rb") as file:
            self.text = file.read()
        self.bodies = []  # start, end and labels of each function's body


def literal(text):
    """Other constants than this."""
    if text in ("true", "false"):
        return ["false" if text == "true" else "true"]
    number = NUMBER.match(text)
    if number:
        value, suffix = int(number[1], 0 if number[1][:2] in ("0x", "0X") else
                            8 if number[1][0] == "0" else 10), number[2]
        others = {0, 1, value + 1} - {value}
        return [("%#x%s" if "x" in text.lower() else "%d%s") % (n, suffix) for n in sorted(others)]
    try:
        value = float(text)
    except ValueError:
        return []
    return [repr(n) for n in sorted({0.0, 1.0, value + 1} - {value})]


def is_macro(cursor, text):
    """Is it only a macro, so that this is its whole expansion, or a part of it?"""
    name = re.match(r"([A-Za-z_]\w*)\s*", text)
    if not name or name[1] in KEYWORDS or name[1] == cursor.spelling:
        return False
    depth = 0
    for at in range(name.end(), len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth <= 0:
            return not depth and text[at] == ")" and at == len(text) - 1
    return name.end() == len(text)


class Finder:
    """The places of one translation unit, in files that no other one had before."""

    def __init__(self, sources, wanted):
        self.sources, self.wanted = sources, wanted
        self.found, self.users = [], {}

    def unit(self, path, flags, name_of):
        unit = Index.create().parse(path, args=flags)
        errors = [str(each) for each in unit.diagnostics if each.severity >= 3]
        if errors:
            raise SystemExit("%s: %s" % (path, errors[0]))
        fresh = {}
        for name in sorted({path, *(each.include.name for each in unit.get_includes())}):
            self.users.setdefault(name_of(name), []).append(path)
        for cursor in unit.cursor.get_children():
            if not cursor.location.file:
                continue
            path = cursor.location.file.name
            if path not in fresh:
                name = name_of(path)
                take = name is not None and self.wanted(name) and name not in self.sources
                fresh[path] = Source(name, path) if take else None
            if fresh[path]:
                self.top(fresh[path], cursor)
        for source in fresh.values():
            if source:
                self.sources[source.name] = source

    def top(self, source, cursor):
        self.source, self.body, self.labels = source, None, []
        begin = len(self.found)
        self.walk(cursor, [])
        self.found[begin:] = [each for each in self.found[begin:]
                              if each.start < each.end <= len(source.text)]

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def text(self, start, end):
        return self.source.text[start:end].decode()

    def add(self, operator, start, end, choices, path):
        choices = [each for each in choices if each != self.text(start, end)]
        if not choices:
            return
        place = Place(self.source, operator, start, end, choices)
        if self.body:
            place.body, place.labels = self.span(self.body), self.labels
            place.mark = self.mark(path)
        self.found.append(place)

    def mark(self, path):
        """Walks up from the place to the statement or expression that is executed as a whole."""
        for at in range(len(path) - 1, 0, -1):
            node, parent = path[at], path[at - 1]
            start, end = self.span(node)
            if node.kind.is_expression() or node.kind == K.UNEXPOSED_EXPR:
                if parent.kind in (K.IF_STMT, K.SWITCH_STMT, K.RETURN_STMT, *LOOPS, *LABELS,
                                   K.COMPOUND_STMT) and parent.kind != K.CASE_STMT:
                    return "expression", start, end
                if parent.kind == K.CASE_STMT and list(parent.get_children())[0] != node:
                    return "expression", start, end
            elif node.kind in (K.BREAK_STMT, K.CONTINUE_STMT, K.RETURN_STMT):
                return "block", start, self.source.text.index(b";", end) + 1
            elif parent.kind == K.COMPOUND_STMT and node.kind not in LABELS:
                return "statement", start, end
        return None

    def walk(self, cursor, path):
        if cursor.kind in NOT_CODE or (cursor.kind == K.CALL_EXPR and cursor.spelling in HINTS):
            return
        if cursor.kind == K.FUNCTION_DECL:
            body = [each for each in cursor.get_children() if each.kind == K.COMPOUND_STMT]
            if not body:
                return
            self.body = body[0]
            self.labels = [each.spelling for each in self.body.walk_preorder()
                           if each.kind == K.LABEL_STMT]
            self.source.bodies.append((*self.span(self.body), self.labels))
            self.result = cursor.result_type.get_canonical()
            self.walk(self.body, path)
            self.body = None
            return
        path = path + [cursor]
        children = list(cursor.get_children())
        if is_macro(cursor, self.text(*self.span(cursor))):
            self.statement(cursor, path)
            return
        self.change(cursor, children, path)
        self.statement(cursor, path)
        for child in children:
            self.walk(child, path)

    def change(self, cursor, children, path):
        kind = cursor.kind
        if kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.binary(cursor, children, path)
        elif kind == K.UNARY_OPERATOR:
            self.unary(cursor, children, path)
        elif kind in (K.INTEGER_LITERAL, K.FLOATING_LITERAL):
            start, end = self.span(cursor)
            self.add("constant", start, end, literal(self.text(start, end)), path)
        elif kind in (K.IF_STMT, K.WHILE_STMT, K.DO_STMT, K.FOR_STMT, K.CONDITIONAL_OPERATOR):
            self.condition(cursor, children, path)
        elif kind == K.RETURN_STMT and children:
            self.returned(children[0], path + children[:1])
        elif kind in (K.BREAK_STMT, K.CONTINUE_STMT):
            self.removed("jump deleted", cursor, path)
        elif kind == K.MEMBER_REF_EXPR:
            self.member(cursor, path)
        elif kind == K.CALL_EXPR:
            self.arguments(cursor, path)

    def statement(self, cursor, path):
        if cursor.kind in (K.CALL_EXPR, K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR,
                    K.UNARY_OPERATOR) and len(path) > 1 and self.is_statement(path[-2], cursor):
            self.removed("statement deleted", cursor, path)

    def is_statement(self, parent, cursor):
        if parent.kind == K.COMPOUND_STMT:
            return True
        children = list(parent.get_children())
        if parent.kind == K.IF_STMT:
            return cursor != children[0]
        if parent.kind == K.DO_STMT:
            return cursor == children[0]
        return parent.kind in (K.FOR_STMT, K.WHILE_STMT, *LABELS) and cursor == children[-1]

    def between(self, left, right):
        """The operator between two operands, and its place."""
        start, end = self.span(left)[1], self.span(right)[0]
        if start >= end:
            return None, 0, 0
        gap = self.source.text[start:end]
        operator = COMMENTS.sub(b"", gap)
        at = start + gap.find(operator)
        return (operator.decode(), at, at + len(operator)) if operator in gap else (None, 0, 0)

    def binary(self, cursor, children, path):
        operator, start, end = self.between(*children)
        if operator in RELATIONS:
            self.add("relation", start, end, RELATIONS, path)
        elif operator in SWAPS:
            left, right = (each.type.get_canonical().kind for each in children)
            if operator == "-" and TypeKind.POINTER in (left, right) and left == right:
                return
            name = NAMES.get(operator, NAMES.get(operator[0]))
            self.add(name, start, end, [SWAPS[operator]], path)

    def unary(self, cursor, children, path):
        start, end = self.span(cursor)
        text = self.text(start, end)
        for old, new in (("++", "--"), ("--", "++")):
            if text.startswith(old):
                self.add("++ --", start, start + 2, [new], path)
            elif text.endswith(old):
                self.add("++ --", end - 2, end, [new], path)

    def condition(self, cursor, children, path):
        node = children[-1] if cursor.kind == K.DO_STMT else children[0]
        if cursor.kind == K.FOR_STMT:
            first, second = self.semicolons(cursor)
            inside = [each for each in children[:-1] if first < self.span(each)[0] < second]
            if not inside:
                return
            node = inside[0]
        start, end = self.span(node)
        self.add("condition negated", start, end, ["!(%s)" % self.text(start, end)], path + [node])

    def semicolons(self, cursor):
        """The parts of a for; none for a macro's."""
        start, end = self.span(cursor)
        text = re.sub(rb"/\*.*?\*/|\"(\\.|[^\"])*\"|'(\\.|[^'])*'",
                      lambda match: b" " * len(match[0]), self.source.text[start:end], flags=re.S)
        first = text.find(b";")
        second = text.find(b";", first + 1)
        return (start + first, start + second) if 0 < first < second else (end, end)

    def returned(self, node, path):
        start, end = self.span(node)
        text, kind = self.text(start, end), self.result.kind
        if kind == TypeKind.POINTER:
            choices = ["NULL"]
        elif kind == TypeKind.BOOL:
            choices = [] if text in ("true", "false") else ["!(%s)" % text]
            if text in ("true", "false"):
                return  # as the constant
        elif kind in (TypeKind.RECORD, TypeKind.VOID):
            return
        else:
            choices = ["1" if text == "0" else "0"]
        self.add("return value", start, end, choices, path)

    def removed(self, operator, cursor, path):
        start, end = self.span(cursor)
        more = re.compile(rb"\s*;").match(self.source.text, end)
        if more:
            self.add(operator, start, more.end(), [";"], path)

    def member(self, cursor, path):
        field = cursor.referenced
        if field is None or field.kind != K.FIELD_DECL:
            return
        start, end = self.span(cursor)
        name = field.spelling
        if not name or not re.search(r"(->|\.)\s*%s$" % re.escape(name), self.text(start, end)):
            return
        fields = [each for each in field.semantic_parent.get_children() if each.kind == K.FIELD_DECL]
        at = [each.spelling for each in fields].index(name)
        same = field.type.get_canonical().spelling
        near = [each.spelling for each in fields[max(at - 1, 0):at] + fields[at + 1:at + 2]
                if each.spelling and each.type.get_canonical().spelling == same]
        self.add("member", end - len(name.encode()), end, near, path)

    def arguments(self, cursor, path):
        spans = [self.span(each) for each in cursor.get_arguments()]
        start, end = self.span(cursor)
        types = [each.type.get_canonical().spelling.replace("const ", "")
                 for each in cursor.get_arguments()]
        for at in range(len(spans) - 1):
            (a, b), (c, d) = spans[at], spans[at + 1]
            if types[at] == types[at + 1] and start < a < b < c < d < end:
                first, second = self.text(a, b), self.text(c, d)
                if first != second:
                    self.add("arguments swapped", a, d, [second + self.text(b, c) + first], path)


def find(units, wanted, name_of):
    """The files of these translation units that are wanted, all places in them, in order, and which
    units have which file."""
    sources = {}
    finder = Finder(sources, wanted)
    for path, flags in units:
        finder.unit(path, flags, name_of)
    places = {each.key(): each for each in finder.found}
    return sources, [places[key] for key in sorted(places)], finder.users
