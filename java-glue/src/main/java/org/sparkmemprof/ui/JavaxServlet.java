package org.sparkmemprof.ui;

import java.io.IOException;
import java.io.OutputStream;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** The tab's servlet on Spark 3.5. */
final class JavaxServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;

  private final transient PageServer pages;

  JavaxServlet(PageServer pages) {
    this.pages = pages;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response) {
    pages.serve(new JavaxExchange(request, response));
  }

  private static final class JavaxExchange implements Exchange {
    private final HttpServletRequest request;
    private final HttpServletResponse response;

    JavaxExchange(HttpServletRequest request, HttpServletResponse response) {
      this.request = request;
      this.response = response;
    }

    @Override
    public String method() {
      return request.getMethod();
    }

    @Override
    public String path() {
      return request.getPathInfo();
    }

    @Override
    public String query() {
      return request.getQueryString();
    }

    @Override
    public Object request() {
      return request;
    }

    @Override
    public void respond(int status, String contentType, long bytes) {
      response.setStatus(status);
      response.setContentType(contentType);
      response.setContentLengthLong(bytes);
    }

    @Override
    public void header(String name, String value) {
      response.setHeader(name, value);
    }

    @Override
    public OutputStream body() throws IOException {
      return response.getOutputStream();
    }

    @Override
    public boolean committed() {
      return response.isCommitted();
    }
  }
}
